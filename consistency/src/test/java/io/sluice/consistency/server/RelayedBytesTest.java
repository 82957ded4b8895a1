package io.sluice.consistency.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.TestDriver;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A relay forwards the frames that it received byte for byte and in the same order over each of its links, while frames
 * are lost and workers stall, die or join late. Every surviving worker receives the whole broadcast. A late worker
 * joins the trees like one that joins a running job.
 */
@Timeout(240)
class RelayedBytesTest {
    private static final String[] TREES = {"chain", "rotated:2", "shared:2", "stripes"};
    private static final int TERM_LENGTH = 64 << 10;
    private static final long PAUSE_NS = 50_000;
    private static final int STEPS = 600;
    private static final long DETECTION_MS = 30;
    private static final int MORE_RUNS = 40;

    private int skips;
    private int deaths;
    private int frames;

    private void broadcast(TestDriver driver, SplittableRandom random) {
        String planner = TREES[random.nextInt(TREES.length)];
        boolean joins = random.nextInt(3) == 0;
        int dying = random.nextInt(3);
        try (RelayedBroadcast broadcast = new RelayedBroadcast(driver, random, planner, joins)) {
            int joinsAt = joins ? random.nextInt(STEPS) : -1;
            ReceivingWorker dead = null;
            long diedNs = 0;
            for (int step = 0; step < STEPS; step++) {
                broadcast.step();
                LockSupport.parkNanos(PAUSE_NS);
                if (step == joinsAt) {
                    broadcast.join();
                }
                switch (random.nextInt(150)) {
                    case 0 -> broadcast.anyMember().stallRelay(random.nextInt(100));
                    case 1 -> broadcast.anyMember().stallTrainer(random.nextInt(100));
                    case 2 -> {
                        if (null == dead && dying > 0 && broadcast.alive() > 3) {
                            dead = broadcast.anyMember();
                            dead.die();
                            diedNs = System.nanoTime();
                            dying--;
                            deaths++;
                        }
                    }
                    default -> {}
                }
                boolean detected = System.nanoTime() - diedNs > TimeUnit.MILLISECONDS.toNanos(DETECTION_MS);
                if (null != dead && (detected || step == STEPS - 1)) {
                    broadcast.cut(dead);
                    dead = null;
                }
            }
            broadcast.finish(planner);
            skips += broadcast.skips();
            frames += broadcast.frames();
        }
    }

    private void broadcast(double loss, int runs) {
        try (TestDriver driver =
                0 == loss ? TestDriver.launch(TERM_LENGTH) : TestDriver.lossy(loss, runs, TERM_LENGTH)) {
            Property.holds(runs, random -> broadcast(driver, random));
        }
    }

    @Test
    @Tag("slow")
    void relaysForwardTheSameBytes() {
        broadcast(0, 3);
        broadcast(0.05, 3);
        for (int more = 0; more < MORE_RUNS && (deaths == 0 || skips == 0); more++) {
            broadcast(0, 1); // a single seed may contain neither deaths nor skips
        }
        assertTrue(deaths > 0, "no worker died");
        assertTrue(skips > 0, "no child was skipped");
        assertTrue(frames > 1_000, "few links had no gaps: " + frames + " frames");
    }

    @Tag("trial")
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.01, 0.05})
    void relaysForwardTheSameBytesManyTimes(double loss) {
        broadcast(loss, 100);
    }
}
