package io.sluice.consistency.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import org.junit.jupiter.api.Test;

class SufficiencyTest {
    private static final long MINIMUM = 6_250_000;

    @Test
    void isSufficientIfAllLinksAreSufficient() {
        Sufficiency node = new Sufficiency(3, MINIMUM, 0.2);
        assertTrue(node.isSufficient(), "no link has an estimate yet");
        node.onEstimate(0, 10 * MINIMUM);
        node.onEstimate(1, MINIMUM);
        assertTrue(node.isSufficient(), "one link has exactly the minimum, the other no estimate");
        node.onEstimate(2, MINIMUM - 1);
        assertFalse(node.isSufficient());
        node.onEstimate(2, 0);
        assertFalse(node.isSufficient(), "a link without an estimate changes nothing");
        node.onEstimate(2, (long) (1.2 * MINIMUM));
        assertTrue(node.isSufficient());
    }

    @Test
    void doesNotFollowAnEstimateThatMovesWithinTheMargin() {
        Property.holds(100, random -> {
            double margin = random.nextDouble(0.05, 1);
            Sufficiency node = new Sufficiency(1, MINIMUM, margin);
            boolean before = random.nextBoolean();
            node.onEstimate(0, before ? 10 * MINIMUM : 1);
            for (int i = 0; i < 100; i++) {
                node.onEstimate(0, random.nextLong(MINIMUM, (long) (MINIMUM * (1 + margin))));
                assertEquals(before, node.isSufficient());
            }
        });
    }

    @Test
    void aNodeWithoutLinksOrDemandsIsAlwaysSufficient() {
        assertTrue(new Sufficiency(0, MINIMUM, 0.2).isSufficient());
        Sufficiency undemanding = new Sufficiency(1, 0, 0.2);
        undemanding.onEstimate(0, 1);
        assertTrue(undemanding.isSufficient());
    }

    @Test
    void refusesValuesOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> new Sufficiency(-1, 1, 0.1));
        assertThrows(IllegalArgumentException.class, () -> new Sufficiency(1, -1, 0.1));
        assertThrows(IllegalArgumentException.class, () -> new Sufficiency(1, 1, Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> new Sufficiency(1, 1, 1.1));
    }
}
