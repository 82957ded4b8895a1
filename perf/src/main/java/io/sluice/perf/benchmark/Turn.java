package io.sluice.perf.benchmark;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What one turn of a benchmark came to.
 *
 * @param passes over the table
 * @param nanos they took
 * @param bytes they made
 * @param values in those bytes
 * @param formats a bit for each block format that occurred
 * @param allocatedBytes on the heap, by all threads together; negative if this JVM does not tell
 * @param latencies what was recorded, with the time of day of beginning and end; {@code null} if nothing was
 */
public record Turn(
        int passes, long nanos, long bytes, long values, int formats, long allocatedBytes, Histogram latencies) {
    private static final String NONE = "-";

    /** Nanoseconds of one pass. */
    public double nanosPerPass() {
        return (double) nanos / passes;
    }

    /** As words of a line. HdrHistogram's own compressed form leaves out the times. */
    String words() {
        String figures = passes + " " + nanos + " " + bytes + " " + values + " " + formats + " " + allocatedBytes + " ";
        if (latencies == null) {
            return figures + NONE;
        }
        ByteBuffer encoded = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        int length = latencies.encodeIntoCompressedByteBuffer(encoded);
        ByteBuffer text = Base64.getEncoder().encode(encoded.clear().limit(length));
        return figures + new String(text.array(), 0, text.limit(), StandardCharsets.ISO_8859_1) + " "
                + latencies.getStartTimeStamp() + " " + latencies.getEndTimeStamp();
    }

    /** Reads {@link #words}, from a place on. */
    static Turn parse(String[] words, int from) {
        return new Turn(
                Integer.parseInt(words[from]),
                Long.parseLong(words[from + 1]),
                Long.parseLong(words[from + 2]),
                Long.parseLong(words[from + 3]),
                Integer.parseInt(words[from + 4]),
                Long.parseLong(words[from + 5]),
                words[from + 6].equals(NONE) ? null : histogram(words, from + 6));
    }

    private static Histogram histogram(String[] words, int from) {
        try {
            byte[] encoded = Base64.getDecoder().decode(words[from]);
            Histogram histogram = Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(encoded), 0);
            histogram.setStartTimeStamp(Long.parseLong(words[from + 1]));
            histogram.setEndTimeStamp(Long.parseLong(words[from + 2]));
            return histogram;
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("a histogram of latencies cannot be read", e);
        }
    }
}
