package io.sluice.codecs;

import io.sluice.codecs.api.CompressionReport;
import java.util.ArrayList;
import java.util.List;

/** Counts the results of compression for each frame class. For one thread. */
final class CompressionCounters {
    private final String compressor;
    private final long[] framesTried = new long[FrameClass.COUNT];
    private final long[] framesCompressed = new long[FrameClass.COUNT];
    private final long[] bytesIn = new long[FrameClass.COUNT];
    private final long[] bytesOut = new long[FrameClass.COUNT];
    private final long[] encodeNs = new long[FrameClass.COUNT];

    CompressionCounters(String compressor) {
        this.compressor = compressor;
    }

    /**
     * Counts the compression of a block; {@code out} is {@code in} if the block did not get shorter and was sent
     * uncompressed.
     */
    void onTried(int frameClass, int in, int out, long ns) {
        framesTried[frameClass]++;
        framesCompressed[frameClass] += out < in ? 1 : 0;
        bytesIn[frameClass] += in;
        bytesOut[frameClass] += out;
        encodeNs[frameClass] += ns;
    }

    /** Copies the counters of the classes whose compression was tried. */
    CompressionReport report() {
        List<CompressionReport.Row> rows = new ArrayList<>();
        for (int i = 0; i < FrameClass.COUNT; i++) {
            if (framesTried[i] > 0) {
                rows.add(new CompressionReport.Row(
                        FrameClass.name(i),
                        compressor,
                        framesTried[i],
                        framesCompressed[i],
                        bytesIn[i],
                        bytesOut[i],
                        bytesIn[i] - bytesOut[i],
                        encodeNs[i],
                        1));
            }
        }
        return new CompressionReport(rows);
    }
}
