package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Any input is rejected for a reason or valid. {@link FrameFuzzTest} does the same with a guard page.
 */
class HostileFramesTest {
    private static final int MUTATIONS = 100_000;

    private final FrameJudge judge = FrameJudge.inOrdinaryMemory();
    private final HostileFrames frames = new HostileFrames(judge);

    @Test
    void soundFramesAreAccepted() {
        for (byte[] frame : FrameCorpus.all()) {
            assertNull(judge.judge(frame, frame.length));
        }
        assertTrue(FrameCorpus.all().size() > GoldenFrame.all().size() + 30, "compressed frames are among them");
    }

    @Test
    void everyTruncationIsRefused() {
        frames.truncations();
        assertEquals(0, judge.accepted());
    }

    @Test
    void truncatedBlocksAreRefused() {
        frames.truncatedBlocks();
    }

    @Tag("slow")
    @Test
    void everyFlippedBitIsJudged() {
        frames.flippedBits();
        assertTrue(judge.accepted() > 10_000, "too few accepted to mean anything: " + judge.accepted());
        assertTrue(
                judge.unverified() >= judge.accepted(), "without the checksum no less is let in than with a new one");
    }

    @Test
    void everyByteOfABlockIsJudged() {
        frames.everyByteOfTheBlock();
        assertTrue(judge.accepted() > 10_000, "too few accepted to mean anything: " + judge.accepted());
    }

    @Test
    void mutatedFramesAreJudged() {
        Property.holds(MUTATIONS, frames::mutation);
        assertTrue(judge.accepted() > MUTATIONS / 50, "too few accepted to mean anything: " + judge.accepted());
        assertTrue(judge.unverified() > MUTATIONS / 500, "too few unverified to mean anything: " + judge.unverified());
    }

    @Test
    void noiseIsRefused() {
        Property.holds(50_000, frames::noise);
        assertEquals(0, judge.accepted());
    }

    @Test
    void compressedNoiseIsJudged() {
        Property.holds(50_000, frames::compressedNoise);
    }

    /**
     * A frame may cost the exception that a compressor's library throws, but no memory proportional to the lengths it
     * states.
     */
    @Test
    void noFrameMakesItsReceiverAllocate() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        FrameMutator mutator = new FrameMutator();
        Property.holds(2_000, random -> judge.judge(mutator.bytes(), mutator.mutate(random)));
        Property.holds(20_000, random -> {
            int length = mutator.mutate(random);
            long before = threads.getCurrentThreadAllocatedBytes();
            Rejection rejection = judge.judge(mutator.bytes(), length);
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            // The arrays into which opened frames were read.
            if (rejection != null && rejection != Rejection.BAD_CHECKSUM) {
                assertTrue(allocated < 8192, () -> rejection + " allocated " + allocated + " bytes");
            }
        });
    }
}
