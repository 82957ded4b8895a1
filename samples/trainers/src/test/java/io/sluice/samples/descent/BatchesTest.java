package io.sluice.samples.descent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchesTest {

    private static DescentSettings settings(int batch, long seed) {
        return new DescentSettings(1, batch, 1, seed);
    }

    /** The first {@code batches} batches of one worker, one after the other. */
    private static int[] taken(Batches batches, int count) {
        return IntStream.range(0, count)
                .boxed()
                .flatMapToInt(i -> Arrays.stream(batches.rows(i + 1, 0).clone()))
                .toArray();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "12, 1", "12, 4", "13, 4", "100, 7", "4837, 4", "5, 5"})
    void dealsEveryExampleToExactlyOneWorker(int examples, int workers) {
        int[] owner = new int[examples];
        for (int worker = 0; worker < workers; worker++) {
            int share = (examples - worker + workers - 1) / workers;
            for (int row : taken(new Batches(examples, worker, workers, settings(1, 5)), share)) {
                owner[row]++;
            }
        }
        assertTrue(Arrays.stream(owner).allMatch(times -> times == 1), Arrays.toString(owner));
    }

    @ParameterizedTest
    @CsvSource({"12, 3, 1", "12, 3, 4", "10, 1, 7", "4837, 4, 128"})
    void takesEveryExampleOnceBeforeAnyOneAgain(int examples, int workers, int batch) {
        int share = (examples + workers - 1) / workers;
        int[] rows = taken(new Batches(examples, 0, workers, settings(batch, 3)), 3 * share / batch + 1);
        int[] firstEpoch = Arrays.copyOf(rows, share);
        assertEquals(share, Arrays.stream(firstEpoch).distinct().count());
        assertArrayEquals(firstEpoch, Arrays.copyOfRange(rows, share, 2 * share), "the second epoch is as the first");
    }

    @Test
    void isTheSameForTheSameSeedAndAnotherForAnother() {
        int[] rows = taken(new Batches(1_000, 1, 3, settings(50, 8)), 6);
        assertArrayEquals(rows, taken(new Batches(1_000, 1, 3, settings(50, 8)), 6));
        assertFalse(Arrays.equals(rows, taken(new Batches(1_000, 1, 3, settings(50, 9)), 6)));
        assertFalse(Arrays.equals(rows, IntStream.of(rows).sorted().toArray()), "the order is shuffled");
    }

    @Test
    void refusesMoreWorkersThanExamples() {
        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> new Batches(3, 0, 4, settings(1, 1)));
        assertEquals("there are 3 training examples for 4 workers, expected at least one each", refusal.getMessage());
    }
}
