package io.sluice.codecs;

import io.sluice.codecs.sbe.DataDecoder;
import java.util.HexFormat;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A frame as the protocol defines it, made by a program that shares no code with this library: one of every control
 * message, and of every block format with every type of values.
 */
record GoldenFrame(String name, byte[] bytes) {
    private static final List<GoldenFrame> ALL = GoldenLines.of("frames.txt").stream()
            .map(words -> new GoldenFrame(words[0], HexFormat.of().parseHex(words[1])))
            .toList();

    static List<GoldenFrame> all() {
        return ALL;
    }

    static GoldenFrame named(String name) {
        return ALL.stream()
                .filter(frame -> frame.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no golden frame " + name));
    }

    boolean isData() {
        return Frame.templateId(new UnsafeBuffer(bytes), 0) == DataDecoder.TEMPLATE_ID;
    }

    /** Puts the frame at the start of a buffer and returns its length. */
    int copyTo(FrameBuffer frame) {
        frame.buffer().putBytes(0, bytes);
        return bytes.length;
    }

    @Override
    public String toString() {
        return name;
    }
}
