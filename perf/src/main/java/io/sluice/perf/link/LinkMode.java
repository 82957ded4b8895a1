package io.sluice.perf.link;

import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What is measured of a link. */
enum LinkMode {
    /** As many frames as go through. */
    THROUGHPUT,
    /** A frame there and back, the next one only then. */
    RTT,
    /** Frames at a fixed rate, whether or not the earlier ones have arrived. */
    OPEN_LOOP;

    /** Whether it is about time, not about bytes. */
    boolean recordsLatencies() {
        return this != THROUGHPUT;
    }

    /** Reads one from the command line, whatever its case. */
    static final class Converter implements ITypeConverter<LinkMode> {
        @Override
        public LinkMode convert(String text) {
            return Arrays.stream(values())
                    .filter(mode -> mode.toString().equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException(
                            "'" + text + "' is no mode; expected throughput, rtt or open-loop"));
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
