package io.sluice.perf.seal;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** How fast one core seals and opens frames of one length, checksum included. */
final class SealSpeed {
    private static final int WARM_UP = 3;
    private static final long BYTES_PER_TURN = 256L << 20;
    private static final int MOST_FRAMES = 50_000;

    private final SealedFrame frame;
    private final int frames;
    private final int turns;
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    SealSpeed(int frameBytes, int turns) {
        this.frame = new SealedFrame(frameBytes);
        this.frames = (int) Math.min(MOST_FRAMES, BYTES_PER_TURN / frameBytes);
        this.turns = turns;
    }

    SealRow seal() {
        FrameSeal seal = SealedFrame.newSeals().newSeal();
        return measure("seal", () -> frame.finish(seal));
    }

    SealRow open() {
        int sealed = frame.finish(SealedFrame.newSeals().newSeal());
        FrameOpener opener = SealedFrame.newOpener(frame.length);
        FrameValidator validator = new FrameValidator(SealedFrame.CLUSTER, new FrameChecksum()).sealed(SealRule.SEALED);
        return measure("open", () -> {
            Rejection rejection = validator.validate(frame.frame.buffer(), 0, sealed);
            rejection = rejection == null ? opener.open(frame.frame.buffer(), 0, sealed) : rejection;
            if (rejection != null) {
                throw new IllegalStateException("a frame just sealed was refused: " + rejection);
            }
        });
    }

    private SealRow measure(String what, Runnable once) {
        double[] ns = new double[turns];
        long allocated = 0;
        for (int turn = -WARM_UP; turn < turns; turn++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            long startNs = System.nanoTime();
            for (int i = 0; i < frames; i++) {
                once.run();
            }
            long took = System.nanoTime() - startNs;
            if (turn >= 0) {
                ns[turn] = (double) took / frames;
                allocated += threads.getCurrentThreadAllocatedBytes() - before;
            }
        }
        Arrays.sort(ns);
        double median = ns[turns / 2];
        double gb = frame.length / median * TimeUnit.SECONDS.toNanos(1) / 1e9;
        long all = (long) frames * turns;
        return new SealRow(what, frame.length, all, gb, median, (double) allocated / all, null, null);
    }
}
