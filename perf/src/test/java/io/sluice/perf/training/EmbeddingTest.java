package io.sluice.perf.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class EmbeddingTest {
    private static final int WIDTH = 16;
    private static final int USERS = 50;

    @Test
    void aStepChangesTheRowsOfItsRatings() {
        float[] update = new float[2 * USERS * WIDTH];
        new Embedding(USERS, WIDTH, 1).step(1, update);
        int[] changed = IntStream.range(0, 2 * USERS)
                .filter(row -> IntStream.range(0, WIDTH).anyMatch(k -> update[row * WIDTH + k] != 0))
                .toArray();
        assertEquals(2, changed.length);
        assertTrue(changed[0] < USERS && changed[1] >= USERS, "a user and an item");
    }

    @Test
    void learnsTheRatingsTheSameWayEveryTime() {
        float[] last = train();
        assertArrayEquals(last, train());
    }

    private static float[] train() {
        Embedding model = new Embedding(USERS, WIDTH, 1);
        float[] update = new float[model.size()];
        double first = model.step(2_000, update);
        double last = first;
        for (int clock = 0; clock < 200; clock++) {
            last = model.step(200, update);
        }
        assertTrue(last < first / 4, first + " and then " + last);
        return update;
    }
}
