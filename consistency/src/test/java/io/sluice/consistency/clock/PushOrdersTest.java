package io.sluice.consistency.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.spi.ConsistencyRule;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the rules with every order in which workers can push, and with random orders of larger clusters. */
class PushOrdersTest {
    @ParameterizedTest
    @CsvSource({
        "bsp, 2, 4",
        "bsp, 3, 3",
        "ssp:1, 2, 4",
        "ssp:1, 3, 3",
        "ssp:2, 2, 5",
        "ssp:2, 3, 3",
        "tap, 2, 4",
        "tap, 3, 3",
        "backup:1, 2, 4",
        "backup:1, 3, 3",
        "backup:2, 3, 3"
    })
    void holdsInEveryOrder(String name, int workers, int rounds) {
        assertTrue(new Play(ConsistencyRules.named(name), workers, rounds).everyOrder() > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bsp", "ssp:1", "ssp:5", "tap"})
    void holdsInRandomOrdersOfManyWorkers(String name) {
        Property.holds(
                200,
                random -> new Play(ConsistencyRules.named(name), random.nextInt(1, 9), random.nextInt(1, 20))
                        .randomOrder(random));
    }

    @Test
    void sspLetsAWorkerRunExactlySAhead() {
        for (int staleness = 1; staleness <= 5; staleness++) {
            Play play = new Play(new StaleSynchronous(staleness), 2, 20);
            while (play.mayCompute(0)) {
                play.push(0);
            }
            assertEquals(staleness + 1, play.clocks[0], "iterations completed on version 0");
            play.push(1);
            assertTrue(play.mayCompute(0));
            play.push(0);
            assertFalse(play.mayCompute(0));
        }
    }

    /** One slice, its workers, and the server that finalises as soon as it may. */
    private static final class Play {
        private final ConsistencyRule rule;
        private final int rounds;
        private final long[] clocks;
        private final SliceClocks pushed;
        private long version;

        Play(ConsistencyRule rule, int workers, int rounds) {
            this.rule = rule;
            this.rounds = rounds;
            this.clocks = new long[workers];
            this.pushed = new SliceClocks(1, workers, -1);
            for (int worker = 0; worker < workers; worker++) {
                pushed.raise(0, worker, 0);
            }
            this.version = -1;
            finalise();
            assertEquals(0, version, "all workers have started");
        }

        boolean mayCompute(int worker) {
            return clocks[worker] < rounds && version >= rule.requiredVersion(clocks[worker]);
        }

        void push(int worker) {
            checkStaleness(worker);
            long round = clocks[worker] + 1;
            assertTrue(round <= rule.latestRound(version), "a worker that keeps the rule does not breach it");
            clocks[worker] = round;
            pushed.raise(0, worker, round);
            finalise();
        }

        private void checkStaleness(int worker) {
            long staleness = clocks[worker] - version;
            switch (rule) {
                case BulkSynchronous _ -> assertEquals(0, staleness);
                case BackupWorkers _ -> assertTrue(staleness <= 0);
                case StaleSynchronous ssp ->
                    assertTrue(staleness <= Integer.parseInt(ssp.name().substring(4)));
                default -> assertEquals("tap", rule.name());
            }
        }

        private void finalise() {
            while (rule.mayFinalise(version + 1, pushed, 0)) {
                version++;
                if (!(rule instanceof TotallyAsynchronous)) {
                    int needed = version == 0 ? clocks.length : clocks.length - rule.backups();
                    assertTrue(pushed.livingAt(0, version) >= needed, "no version before enough workers' rounds");
                }
                if (rule.backups() == 0) {
                    assertTrue(
                            pushed.roundsPushed(0, version) >= (version + 1) * clocks.length,
                            "no more versions than rounds");
                }
            }
        }

        /** Tries all orders from here, depth first; returns their number. */
        long everyOrder() {
            long orders = 0;
            for (int worker = 0; worker < clocks.length; worker++) {
                if (mayCompute(worker)) {
                    Play next = copy();
                    next.push(worker);
                    orders += next.everyOrder();
                }
            }
            if (orders == 0) {
                requireEnd();
                return 1;
            }
            return orders;
        }

        void randomOrder(SplittableRandom random) {
            int stuck = 0;
            while (stuck < 1_000) {
                int worker = random.nextInt(clocks.length);
                if (mayCompute(worker)) {
                    push(worker);
                    stuck = 0;
                } else {
                    stuck++;
                }
            }
            requireEnd();
        }

        private void requireEnd() {
            for (long clock : clocks) {
                assertEquals(rounds, clock, "no worker is stuck before the end");
            }
            assertEquals(rounds, version, "all rounds are finalised, and no more");
        }

        private Play copy() {
            Play copy = new Play(rule, clocks.length, rounds);
            for (int worker = 0; worker < clocks.length; worker++) {
                copy.clocks[worker] = clocks[worker];
                copy.pushed.raise(0, worker, clocks[worker]);
            }
            copy.version = version;
            return copy;
        }
    }
}
