package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The most significant slice, by an exhaustive search, is sent first. */
class SignificantSlicesTest {
    private static final int SLICES = 20;

    @Test
    void theSmallestPriorityIsTaken() {
        Property.holds(20, random -> {
            SignificantSlices slices = new SignificantSlices(SLICES);
            Map<Integer, Long> model = new HashMap<>();
            for (int i = 0; i < 4 * SLICES; i++) { // with no more departures than patience
                int slice = random.nextInt(SLICES);
                switch (random.nextInt(5)) {
                    case 0 -> {
                        slices.drop(slice);
                        model.remove(slice);
                    }
                    case 1 -> take(slices, model);
                    default -> {
                        long priority = random.nextInt(1_000_000) * (long) SLICES + slice; // no two are equal
                        slices.offer(slice, priority);
                        model.put(slice, priority);
                    }
                }
            }
            while (!model.isEmpty()) {
                take(slices, model);
            }
            assertEquals(SignificantSlices.NONE, slices.take());
        });
    }

    private static void take(SignificantSlices slices, Map<Integer, Long> model) {
        int expected = model.entrySet().stream()
                .min(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(SignificantSlices.NONE);
        assertEquals(expected, slices.take());
        model.remove(expected);
    }

    /** If turns are the priorities, each slice is sent once before any is sent twice. */
    @Test
    void turnsAreRoundRobin() {
        SignificantSlices slices = new SignificantSlices(SLICES);
        for (int walk = 0; walk < 5; walk++) {
            for (int expected = 0; expected < SLICES; expected++) {
                for (int slice = 0; slice < SLICES; slice++) {
                    slices.offer(slice, slices.turn(slice) * SLICES + slice);
                }
                assertEquals(expected, slices.take());
            }
        }
    }

    @Test
    void aSliceThatIsNeverMostSignificantDoesNotStarve() {
        SignificantSlices slices = new SignificantSlices(2);
        slices.offer(1, 7);
        int others = 0;
        slices.offer(0, 0);
        while (0 == slices.take()) {
            slices.offer(0, 0);
            others++;
            assertTrue(others <= 8, "slice 1 starves");
        }
        assertTrue(others > 1, "the urgent slice is sent first");
    }
}
