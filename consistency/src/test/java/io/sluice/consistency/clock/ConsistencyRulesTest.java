package io.sluice.consistency.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.codecs.spi.PolicySpec;
import io.sluice.consistency.spi.ConsistencyRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsistencyRulesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "bsp",
                "ssp:1",
                "ssp:3",
                "ssp:1000000",
                "tap",
                "backup:1",
                "backup:4095",
                "drift:0.01,20",
                "dssp:3,15"
            })
    void aRuleIsFoundByTheNameItGives(String name) {
        assertEquals(name, ConsistencyRules.named(name).name());
    }

    @Test
    void stalenessZeroIsBsp() {
        assertInstanceOf(BulkSynchronous.class, ConsistencyRules.named("ssp:0"));
        assertInstanceOf(BulkSynchronous.class, ConsistencyRules.named("backup:0"));
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> new StaleSynchronous(0));
        assertEquals("staleness is 0, expected 1 or more (bsp is ssp:0)", refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "BSP",
                "ssp",
                "ssp:",
                "ssp:-1",
                "ssp:1.5",
                "ssp:1000001",
                "ssp:99999999999",
                "tap:1",
                " tap",
                "backup",
                "backup:-1",
                "backup:4096",
                "drift:0.1",
                "drift:-1,5",
                "drift:0.1,0",
                "dssp:3",
                "dssp:3,3",
                "dssp:1,1001"
            })
    void anUnknownNameIsRefusedWithThoseThereAre(String name) {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> ConsistencyRules.named(name));
        String message = refusal.getMessage();
        assertTrue(message.startsWith("consistency is '" + name + "', expected "), message);
        String word = PolicySpec.nameIn(name);
        String form = switch (word) {
            case "tap" -> "tap: it has 1 argument";
            case "ssp" -> "ssp:S with S from 0 to 1000000: ";
            case "backup" -> "backup:B with B from 0 to 4095: ";
            case "drift" -> "drift:D,MAX with D a finite number of 0 or more, MAX from 1: ";
            case "dssp" -> "dssp:LOW,HIGH with LOW from 0 and HIGH above it, up to 1000: ";
            default -> "one of bsp; tap; ssp:S with S from 0 to 1000000; backup:B with B from 0 to 4095";
        };
        assertTrue(message.contains(form), message);
    }

    @Test
    void bspNeedsTheVersionOfItsClockAndAllowsOneRoundBeyondIt() {
        ConsistencyRule rule = new BulkSynchronous();
        assertEquals(0, rule.requiredVersion(0));
        assertEquals(17, rule.requiredVersion(17));
        assertEquals(18, rule.latestRound(17));
        assertTrue(rule.ordered());
    }

    @Test
    void driftPushesOnceTheResidualIsFarEnoughFromTheReplicaAndInEachOfSomeRounds() {
        ConsistencyRule rule = ConsistencyRules.named("drift:0.1,4");
        assertTrue(rule.withholds() && rule.ordered());
        assertEquals(17, rule.requiredVersion(17));
        assertTrue(rule.pushes(1, 1.01, 10));
        assertFalse(rule.pushes(1, 1, 10));
        assertFalse(rule.pushes(3, 0, 0));
        assertTrue(rule.pushes(1, 0.001, 0), "any residual is far from a replica of zeros");
        assertTrue(rule.pushes(4, 0, 10) && rule.pushes(8, 0, 10));
    }

    @ParameterizedTest
    @CsvSource({
        // version, own and slowest seconds, seconds since the version; expected version at clock 10, and why
        "8, 0, 0, 5, 8", // nothing is known yet: as ssp:2
        "8, 1, 0, 5, 8",
        "7, 1, 4, 0.5, 5", // after 3 clocks it waits 0.5 s; now it would wait 3.5 s
        "7, 1, 4, 3.9, 8", // the slowest worker pushes in 0.1 s, so no number of clocks is better
        "7, 3, 4, 0.9, 5", // one clock ends 0.1 s before the slowest worker's next push
        "5, 1, 4, 0.5, 8", // no clock is left: the worker is HIGH clocks ahead
        "6, 5, 4, 2, 5", // a clock ends 1 s before the push after next; now it would wait 2 s
        "9, 1, 4, 0.5, 5" // it need not wait in any case: version 9 is newer than 8
    })
    void dsspComputesOnIfThatShortensTheWait(
            long version, double ownSeconds, double slowestSeconds, double sinceSeconds, long expected) {
        ConsistencyRule rule = ConsistencyRules.named("dssp:2,5");
        assertEquals(expected, rule.requiredVersion(10, version, ownSeconds, slowestSeconds, sinceSeconds));
        assertEquals(5, rule.requiredVersion(10), "the lowest that it may need");
        assertEquals(0, rule.requiredVersion(1, 0, 1, 1, 0));
        assertEquals(15, rule.latestRound(9));
        assertEquals(6, rule.ownRoundsAhead());
    }

    /**
     * Beside a worker that takes a random time for each clock, a fast one waits no longer than with the lower bound,
     * computes on fresher parameters than with the upper one, and runs further ahead than with the lower.
     */
    @Test
    void dsspIsBetweenItsTwoBounds() {
        Property.holds(20, random -> {
            double[] slow = random.doubles(900, 1, 3).toArray();
            Trace low = Trace.of(ConsistencyRules.named("ssp:2"), slow, 2);
            Trace dynamic = Trace.of(ConsistencyRules.named("dssp:2,6"), slow, 6);
            Trace high = Trace.of(ConsistencyRules.named("ssp:6"), slow, 6);
            assertTrue(dynamic.waits <= low.waits + 1e-6, () -> dynamic + " waits longer than " + low);
            assertTrue(dynamic.staleness > low.staleness, () -> dynamic + " is never ahead of " + low);
            assertTrue(dynamic.staleness < high.staleness, () -> dynamic + " is as stale as " + high);
        });
    }

    /** Seconds of waits in 300 clocks, and the mean staleness of what they computed on. */
    private record Trace(double waits, double staleness) {
        /** Simulates a worker that takes 1 s a clock; version v is there when the slow worker ends clock v. */
        static Trace of(ConsistencyRule rule, double[] slow, int bound) {
            double[] ends = new double[slow.length + 1];
            for (int i = 0; i < slow.length; i++) {
                ends[i + 1] = ends[i] + slow[i];
            }
            double now = 0;
            double waits = 0;
            double staleness = 0;
            for (int clock = 0; clock < 300; clock++) {
                int version = at(ends, now);
                double slowest = version > 1 ? slow[version - 1] : 0;
                long required = rule.requiredVersion(clock, version, clock > 0 ? 1 : 0, slowest, now - ends[version]);
                assertTrue(required >= clock - bound, "the bound holds");
                double ready = Math.max(now, ends[(int) required]);
                waits += ready - now;
                staleness += clock - at(ends, ready);
                now = ready + 1;
            }
            return new Trace(waits, staleness / 300);
        }

        private static int at(double[] ends, double now) {
            int version = 0;
            while (ends[version + 1] <= now) {
                version++;
            }
            return version;
        }
    }

    @Test
    void sspNeedsTheVersionThatIsSClocksOld() {
        ConsistencyRule rule = new StaleSynchronous(3);
        assertEquals(0, rule.requiredVersion(0));
        assertEquals(0, rule.requiredVersion(3));
        assertEquals(1, rule.requiredVersion(4));
        assertEquals(14, rule.requiredVersion(17));
        assertEquals(4, rule.latestRound(0));
        assertFalse(rule.ordered());
    }

    /**
     * Three of four workers have to push; after a loss all of the remaining three, and then both of the remaining two.
     */
    @Test
    void backupAwaitsAllButSomeOrAllThatAreLeft() {
        ConsistencyRule rule = new BackupWorkers(1);
        SliceClocks clocks = new SliceClocks(1, 4, 5);
        assertFalse(rule.mayFinalise(6, clocks, 0));
        clocks.raise(0, 0, 6);
        clocks.raise(0, 3, 6);
        assertFalse(rule.mayFinalise(6, clocks, 0));
        clocks.excuse(0, 3);
        clocks.raise(0, 1, 6);
        assertFalse(rule.mayFinalise(6, clocks, 0), "the push of a dead worker does not count");
        clocks.raise(0, 2, 6);
        assertTrue(rule.mayFinalise(6, clocks, 0));
        assertFalse(rule.mayFinalise(7, clocks, 0));
        clocks.raise(0, 0, 7);
        clocks.raise(0, 1, 7);
        clocks.excuse(0, 2);
        assertTrue(rule.mayFinalise(7, clocks, 0));
        assertFalse(rule.mayFinalise(8, clocks, 0), "no worker has pushed it");
    }

    @Test
    void backupStartsWithTheFirstValuesOfAll() {
        SliceClocks clocks = new SliceClocks(1, 3, -1);
        clocks.raise(0, 1, 0);
        clocks.raise(0, 2, 0);
        assertFalse(new BackupWorkers(2).mayFinalise(0, clocks, 0));
        clocks.raise(0, 0, 0);
        assertTrue(new BackupWorkers(2).mayFinalise(0, clocks, 0));
    }

    @Test
    void tapNeedsNothingAndAllowsEverything() {
        ConsistencyRule rule = new TotallyAsynchronous();
        assertEquals(0, rule.requiredVersion(1_000_000));
        assertEquals(Long.MAX_VALUE, rule.latestRound(0));
        assertFalse(rule.ordered());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bsp", "ssp:1", "ssp:7", "tap", "backup:2"})
    void aWorkerMayPushWhatItMayCompute(String name) {
        ConsistencyRule rule = ConsistencyRules.named(name);
        for (long clock = 0; clock < 100; clock++) {
            assertTrue(clock + 1 <= rule.latestRound(rule.requiredVersion(clock)), name + " at clock " + clock);
        }
    }
}
