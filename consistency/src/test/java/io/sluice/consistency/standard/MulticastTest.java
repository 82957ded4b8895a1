package io.sluice.consistency.standard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who gets the vectors of a clock, and when replicas are averaged and rotate. */
class MulticastTest {
    private static final int TABLE = 7;

    private static boolean[] chosen(Multicast multicast, int workers, int worker, long clock) {
        boolean[] chosen = new boolean[workers];
        multicast.choose(worker, clock, TABLE, chosen, new int[workers]);
        return chosen;
    }

    private static int count(boolean[] chosen) {
        return (int) IntStream.range(0, chosen.length).filter(i -> chosen[i]).count();
    }

    @ParameterizedTest
    @CsvSource({"random", "fixed", "round-robin"})
    void choosesQOthersAndTheSameInEachRun(String schedule) {
        Property.holds(20, random -> {
            int workers = random.nextInt(2, 12);
            int q = random.nextInt(1, workers);
            String text = schedule + ":" + q;
            text += q < workers - 1 ? ";lossless" : "";
            text += q < workers - 1 && "random".equals(schedule) ? ";seed=" + random.nextInt(1_000) : "";
            Multicast multicast = Multicast.named(text).among(workers);
            for (long clock = 1; clock <= 50; clock++) {
                int worker = random.nextInt(workers);
                boolean[] chosen = chosen(multicast, workers, worker, clock);
                assertEquals(q, count(chosen), text);
                assertFalse(chosen[worker], text);
                boolean[] again = chosen(Multicast.named(text).among(workers), workers, worker, clock);
                assertArrayEquals(chosen, again, text);
            }
        });
    }

    @Test
    void randomDrawsFavourNoPair() {
        int workers = 8;
        int clocks = 20_000;
        Multicast multicast = Multicast.named("random:3;sync=9").among(workers);
        for (int worker = 0; worker < workers; worker++) {
            int[] times = new int[workers];
            int[] together = new int[workers];
            for (long clock = 1; clock <= clocks; clock++) {
                boolean[] chosen = chosen(multicast, workers, worker, clock);
                for (int to = 0; to < workers; to++) {
                    times[to] += chosen[to] ? 1 : 0;
                    together[to] += chosen[to] && chosen[(worker + 1) % workers] ? 1 : 0;
                }
            }
            for (int to = 0; to < workers; to++) {
                if (to != worker) {
                    assertEquals(3.0 / 7, (double) times[to] / clocks, 0.02, worker + " to " + to);
                    double both = to == (worker + 1) % workers ? 3.0 / 7 : 3.0 / 7 * 2 / 6;
                    assertEquals(both, (double) together[to] / clocks, 0.02, worker + " to " + to);
                }
            }
        }
    }

    @Test
    void fixedNeverChangesAndRoundRobinServesAllInTurn() {
        Multicast fixed = Multicast.named("fixed:2;sync=9").among(5);
        assertArrayEquals(new boolean[] {true, false, false, false, true}, chosen(fixed, 5, 3, 1));
        assertArrayEquals(chosen(fixed, 5, 3, 1), chosen(fixed, 5, 3, 2));
        Multicast turns = Multicast.named("round-robin:2;sync=9").among(5);
        for (long clock = 1; clock < 9; clock++) {
            boolean[] one = chosen(turns, 5, 3, clock);
            boolean[] next = chosen(turns, 5, 3, clock + 1);
            for (int to = 0; to < 5; to++) {
                assertEquals(to != 3, one[to] ^ next[to], "each once in two clocks");
            }
        }
    }

    @Test
    void breaksTheStatedShareOfPairs() {
        Multicast multicast = Multicast.named("all;broken=10;sync=9").among(6);
        int sent = 0;
        for (long clock = 1; clock <= 2_000; clock++) {
            for (int worker = 0; worker < 6; worker++) {
                sent += count(chosen(multicast, 6, worker, clock));
            }
        }
        assertEquals(0.9, sent / (2_000 * 30.0), 0.01);
        assertTrue(multicast.isPartial());
    }

    @Test
    void averagesEachSliceOnceInAnInterval() {
        for (String text : new String[] {"random:1;sync=7", "random:1;sync=7;at-once"}) {
            Multicast multicast = Multicast.named(text).among(3);
            for (int slices : new int[] {1, 5, 7, 30}) {
                int[] times = new int[slices];
                for (long clock = 15; clock < 22; clock++) {
                    int end = multicast.endAveraged(clock, slices);
                    for (int slice = multicast.firstAveraged(clock, slices); slice < end; slice++) {
                        times[slice]++;
                    }
                }
                assertEquals(
                        slices, IntStream.of(times).filter(time -> time == 1).count(), text + " of " + slices);
            }
        }
    }

    @Test
    void rotationsNeverFallOnAnAveraging() {
        Multicast multicast = Multicast.named("random:1;sync=6;rotate=4").among(3);
        int[] clocks = IntStream.rangeClosed(1, 24)
                .filter(clock -> multicast.rotates(clock))
                .toArray();
        assertArrayEquals(new int[] {4, 8, 16, 20}, clocks);
        assertFalse(Multicast.named("random:1;sync=6").among(3).rotates(4));
    }

    @Test
    void aSeedChangesWhatIsDrawn() {
        for (String text : new String[] {"random:2;sync=9", "fixed:2;sync=9;broken=30", "all;broken=30;sync=9"}) {
            Multicast one = Multicast.named(text + ";seed=1").among(8);
            Multicast other = Multicast.named(text + ";seed=2").among(8);
            assertTrue(one.draws(), text);
            assertTrue(
                    IntStream.range(1, 50)
                            .anyMatch(clock -> !Arrays.equals(chosen(one, 8, 3, clock), chosen(other, 8, 3, clock))),
                    text);
        }
        assertFalse(Multicast.named("fixed:2;sync=9").among(8).draws());
    }

    @Test
    void scalesWhatNotAllGet() {
        assertEquals(3.5f, Multicast.named("random:2;sync=6").among(8).scale());
        assertEquals(1, Multicast.named("random:2;sync=6;unscaled").among(8).scale());
        assertEquals(1, Multicast.named("random:2;lossless").among(8).scale());
        assertEquals(7, Multicast.named("random:2;lossless").among(8).depth());
        assertEquals(1, Multicast.named("random:7").among(8).scale());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "some             | 'some' names no schedule",
                "random           | it has 0 arguments",
                "random:0         | '0' is not a whole number from 1",
                "random:4;sync=9  | Q is 4, expected 1 to the 3 other workers",
                "random:2         | of 4 workers some miss vectors, so it needs the option sync or lossless",
                "all;broken=5     | of 4 workers some miss vectors",
                "random:2;sync=0  | option sync is '0', which is not a whole number from 1",
                "random:2;sync=4;rotate=8 | rotate is 8, a multiple of sync, 4",
                "random:2;rotate=8        | rotate needs the option sync",
                "random:2;at-once         | at-once needs the option sync",
                "random:2;lossless;sync=4 | lossless excludes the options sync",
                "random:3;sync=4  | each of 4 workers gets all vectors, so sync and lossless have no effect",
                "all;broken=100;sync=2    | option broken is 100, which is not a percentage below 100",
                "random:2;sync=4;fast     | there is no option 'fast'",
                "all;broken=0;sync=2      | option broken is '0', which is not a whole number from 1",
                "random:2;sync=1;at-once  | sync is 1, so at-once has no effect",
                "fixed:2;sync=4;seed=3    | with any seed, so seed has no effect",
                "round-robin:2;lossless;seed=3 | with any seed, so seed has no effect",
                "random:3;seed=3          | with any seed, so seed has no effect",
                "all;seed=0               | with any seed, so seed has no effect",
                "fixed:3;unscaled         | each of 4 workers is sent all vectors, so unscaled has no effect",
            })
    void refusesWithOneSentence(String text, String reason) {
        IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class, () -> Multicast.named(text).among(4));
        assertTrue(
                refusal.getMessage().startsWith("multicast is '" + text + "', expected all, random:Q")
                        && refusal.getMessage().contains(reason),
                refusal.getMessage());
    }
}
