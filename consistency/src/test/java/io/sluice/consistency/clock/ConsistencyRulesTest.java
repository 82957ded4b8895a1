package io.sluice.consistency.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.PolicySpec;
import io.sluice.consistency.spi.ConsistencyRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsistencyRulesTest {
    @ParameterizedTest
    @ValueSource(strings = {"bsp", "ssp:1", "ssp:3", "ssp:1000000", "tap", "backup:1", "backup:4095"})
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
                "backup:4096"
            })
    void anUnknownNameIsRefusedWithThoseThereAre(String name) {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> ConsistencyRules.named(name));
        String message = refusal.getMessage();
        assertTrue(message.startsWith("consistency is '" + name + "', expected "), message);
        String word = PolicySpec.word(name);
        String form = switch (word) {
            case "tap" -> "tap: it has 1 argument";
            case "ssp" -> "ssp:S with S from 0 to 1000000: ";
            case "backup" -> "backup:B with B from 0 to 4095: ";
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
