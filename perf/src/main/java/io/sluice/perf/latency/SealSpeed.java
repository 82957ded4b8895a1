package io.sluice.perf.latency;

import com.sun.management.ThreadMXBean;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.SealRule;
import io.sluice.codecs.seal.FrameOpener;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.perf.experiment.Sample;
import java.lang.management.ManagementFactory;

/** Measures how fast one core seals and opens frames of one length, checksum included. */
final class SealSpeed {
    private static final long BYTES_PER_TURN = 64L << 20;
    private static final int MOST_FRAMES = 50_000;

    private final SealedFrame frame;
    private final int frames;
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    SealSpeed(int frameBytes) {
        this.frame = new SealedFrame(frameBytes);
        this.frames = (int) Math.min(MOST_FRAMES, BYTES_PER_TURN / frameBytes);
    }

    /** Seals frames, and adds the time to a sample. */
    Sample seal(Sample sample) {
        FrameSeal seal = SealedFrame.newSeals().newSeal();
        return measure(sample, () -> frame.finish(seal));
    }

    /** Opens frames, and adds the time to a sample. */
    Sample open(Sample sample) {
        int sealed = frame.finish(SealedFrame.newSeals().newSeal());
        FrameOpener opener = SealedFrame.newOpener(frame.length);
        FrameValidator validator = new FrameValidator(SealedFrame.CLUSTER, new FrameChecksum()).sealed(SealRule.SEALED);
        return measure(sample, () -> {
            Rejection rejection = validator.validate(frame.frame.buffer(), 0, sealed);
            rejection = rejection == null ? opener.open(frame.frame.buffer(), 0, sealed) : rejection;
            if (rejection != null) {
                throw new IllegalStateException("a frame just sealed was refused: " + rejection);
            }
        });
    }

    private Sample measure(Sample sample, Runnable once) {
        long before = threads.getCurrentThreadAllocatedBytes();
        long startNs = System.nanoTime();
        for (int i = 0; i < frames; i++) {
            once.run();
        }
        double tookNs = System.nanoTime() - startNs;
        double allocated = threads.getCurrentThreadAllocatedBytes() - before;
        return sample.figure("frames", frames)
                .figure("ns_per_frame", tookNs / frames)
                .figure("allocated_bytes", allocated / frames);
    }
}
