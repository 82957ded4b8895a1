package io.sluice.codecs;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntBinaryOperator;

/** Counts what a number of compressors did on each frame class. For one thread. */
final class CompressionCounters {
    private final String[] compressors;
    private final long[] framesTried;
    private final long[] framesCompressed;
    private final long[] bytesIn;
    private final long[] bytesOut;
    private final long[] bytesSaved;
    private final long[] encodeNs;

    CompressionCounters(String... compressors) {
        this.compressors = compressors;
        int size = FrameClass.COUNT * compressors.length;
        framesTried = new long[size];
        framesCompressed = new long[size];
        bytesIn = new long[size];
        bytesOut = new long[size];
        bytesSaved = new long[size];
        encodeNs = new long[size];
    }

    /** A block went through a compressor; {@code out} is {@code in} if it did not get shorter. */
    void onTried(int frameClass, int compressor, int in, int out, long ns) {
        int at = frameClass * compressors.length + compressor;
        framesTried[at]++;
        bytesIn[at] += in;
        bytesOut[at] += out;
        encodeNs[at] += ns;
    }

    /** The same block was then sent so. */
    void onSent(int frameClass, int compressor, int saved) {
        int at = frameClass * compressors.length + compressor;
        framesCompressed[at]++;
        bytesSaved[at] += saved;
    }

    /**
     * Copies the counters that are not zero.
     *
     * @param verdict tells of a class and a compressor whether frames are now sent so: 1 or 0
     */
    CompressionReport report(IntBinaryOperator verdict) {
        List<CompressionReport.Row> rows = new ArrayList<>();
        for (int at = 0; at < framesTried.length; at++) {
            if (framesTried[at] > 0) {
                int frameClass = at / compressors.length;
                int compressor = at % compressors.length;
                rows.add(new CompressionReport.Row(
                        FrameClass.name(frameClass),
                        compressors[compressor],
                        framesTried[at],
                        framesCompressed[at],
                        bytesIn[at],
                        bytesOut[at],
                        bytesSaved[at],
                        encodeNs[at],
                        verdict.applyAsInt(frameClass, compressor)));
            }
        }
        return new CompressionReport(rows);
    }
}
