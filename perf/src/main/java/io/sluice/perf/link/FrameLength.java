package io.sluice.perf.link;

import io.sluice.codecs.Frame;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The length of a frame: {@code 1kib} or {@code 1024} bytes, header and envelope included.
 *
 * @param bytes 64, which is a frame without a payload, to 65,536, a multiple of 4
 */
record FrameLength(int bytes) {
    static final int MOST = 1 << 16;

    private static final Pattern TEXT = Pattern.compile("(\\d{1,6})(kib|b)?");

    /** Reads one from the command line. */
    static final class Converter implements ITypeConverter<FrameLength> {
        @Override
        public FrameLength convert(String text) {
            Matcher matcher = TEXT.matcher(text.toLowerCase(Locale.ROOT));
            int bytes = matcher.matches()
                    ? Integer.parseInt(matcher.group(1)) << ("kib".equals(matcher.group(2)) ? 10 : 0)
                    : -1;
            if (bytes < Frame.DATA_LENGTH || bytes > MOST || bytes % Float.BYTES != 0) {
                throw new TypeConversionException("'" + text + "' is no frame length; expected " + Frame.DATA_LENGTH
                        + " to " + MOST + " bytes, a multiple of " + Float.BYTES + ", such as 256 or 64kib");
            }
            return new FrameLength(bytes);
        }
    }
}
