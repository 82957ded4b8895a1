package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class LeadersTest {
    private static final String LEADS = "leads the coordinators from now on, in term 4, in epoch 1 of the job";

    private final Leaders leaders = new Leaders();

    @Test
    void theFirstLeaderIsNoTakeover() {
        leaders.accept("coordinator 2", LEADS);
        assertTrue(leaders.isLedBy("coordinator 2"));
        assertFalse(leaders.isLedBy("coordinator 0"));
        assertEquals(0, leaders.takeovers());
        leaders.restart();
        assertFalse(leaders.isLedBy("coordinator 2"));
        leaders.accept("coordinator 0", LEADS);
        assertEquals(0, leaders.takeovers());
    }

    @Test
    void theLeaderAfterAKilledOneHasTakenOver() {
        leaders.accept("coordinator 2", LEADS);
        leaders.gone("coordinator 1");
        assertTrue(leaders.isLedBy("coordinator 2"));
        leaders.gone("coordinator 2");
        assertFalse(leaders.isLedBy("coordinator 2"));
        leaders.accept("coordinator 1", LEADS);
        assertEquals(1, leaders.takeovers());
        assertTrue(leaders.slowestSeconds() > 0);
    }

    @Test
    void aLateResignationDoesNotUndoTheNextLeader() {
        leaders.accept("coordinator 2", LEADS);
        leaders.accept("coordinator 0", LEADS);
        leaders.accept("coordinator 2", "no longer leads the coordinators");
        assertTrue(leaders.isLedBy("coordinator 0"));
        assertEquals(1, leaders.takeovers());
        assertEquals(0, leaders.slowestSeconds());
        leaders.accept("coordinator 0", "no longer leads the coordinators");
        assertFalse(leaders.isLedBy("coordinator 0"));
    }
}
