package io.sluice.filter.threshold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.spi.NetworkFeedback;
import org.junit.jupiter.api.Test;

class NetworkThresholdTest {
    private final SettableFeedback network = new SettableFeedback();
    private final SliceValues slice = new SliceValues();

    @Test
    void lowWhileSufficientUpWhileNot() {
        SliceThreshold chooser = new NetworkThreshold(new InverseSquareRoot(0.1), new InverseSquareRoot(0.6), network);
        assertEquals(0.1f, chooser.choose(slice, 1));
        network.setSufficient(false);
        assertEquals(0.1f, chooser.choose(slice, 1), "all slices of a clock have the same threshold");
        assertEquals(0.3f, chooser.choose(slice, 4));
        network.setSufficient(true);
        assertEquals(0.3f, chooser.choose(slice, 4));
        assertEquals((float) (0.1 / 3), chooser.choose(slice, 9));
    }

    @Test
    void aNetworkAsConfigured() {
        SliceThreshold chooser = new NetworkThreshold(
                new InverseSquareRoot(0.1),
                new InverseSquareRoot(0.6),
                new ConstantFeedback(false, NetworkFeedback.NO_BUDGET));
        assertEquals(0.6f, chooser.choose(slice, 1));
        assertTrue(ConstantFeedback.UNWATCHED.isSufficient());
        assertEquals(NetworkFeedback.NO_BUDGET, ConstantFeedback.UNWATCHED.bytesPerClock());
    }

    @Test
    void refusesABudgetBelowNothing() {
        assertThrows(IllegalArgumentException.class, () -> network.bytesPerClock(-2));
        assertThrows(IllegalArgumentException.class, () -> new ConstantFeedback(true, -2));
        network.bytesPerClock(0);
        network.setSufficient(false);
        assertEquals(0, network.bytesPerClock());
        assertFalse(network.isSufficient());
    }
}
