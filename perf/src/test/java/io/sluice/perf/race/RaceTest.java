package io.sluice.perf.race;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class RaceTest {
    private static final Pace ONE_PASS = Pace.QUICK;

    private final Progress progress = new Progress(new PrintWriter(new StringWriter()), 1);

    @Test
    void everyRoundBeginsWithTheNextOneAndTheFirstDoesNotCount() throws IOException {
        List<String> order = new ArrayList<>();
        List<Listed> entrants =
                List.of(new Listed("a", order, 1), new Listed("b", order, 1), new Listed("c", order, 1));
        List<Result<Listed>> results = new Race(2, ONE_PASS, false).run(entrants, progress);
        // Warm-up; then each turn is a pass that is not timed, and one that is.
        assertEquals(List.of("a", "b", "c"), order.subList(0, 3));
        assertEquals(
                List.of("aabbcc", "bbccaa", "ccaabb"),
                List.of(
                        String.join("", order.subList(3, 9)),
                        String.join("", order.subList(9, 15)),
                        String.join("", order.subList(15, 21))));
        assertEquals(21, order.size());
        assertEquals(entrants, results.stream().map(Result::entrant).toList());
        results.forEach(result -> assertEquals(2, result.turns().size()));
    }

    @Test
    void aResultSumsItsThreads() throws IOException {
        Result<Runner> result = new Race(3, new Pace(0, 1, 1_000_000, 5), false)
                .run(List.of(new Runner("pair", 2, 10)), progress)
                .getFirst();
        assertEquals(20, result.bytes());
        assertEquals(2, result.values());
        assertEquals(1 << 3, result.formats());
        assertTrue(result.elementsPerSecond().low() > 0);
    }

    @Test
    void aTurnIsAWholeNumberOfCycles() throws IOException {
        List<String> order = new ArrayList<>();
        Result<Listed> result = new Race(2, ONE_PASS, false)
                .run(List.of(new Listed("a", order, 3)), progress)
                .getFirst();
        result.turns().forEach(turn -> assertEquals(3, turn.passes()));
        // A cycle of warm-up, then three rounds of a pass that is not timed and a cycle.
        assertEquals(3 + 3 * (1 + 3), order.size());
    }

    @Test
    void entrantsRunInJvmsOfTheirOwnWithTheirOwnFlags() throws IOException {
        List<Result<Runner>> results = new Race(1, ONE_PASS, true)
                .run(List.of(new Runner("first", 1, 10), new Runner("second", 2, 20)), progress);
        assertEquals(11, results.get(0).bytes());
        assertEquals(42, results.get(1).bytes());
    }

    @Test
    void aJvmThatDiesIsAnErrorThatSaysWhatItSaid() {
        Race race = new Race(1, ONE_PASS, true);
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> race.run(List.of(new Runner("ill", 1, -5)), progress));
        assertTrue(e.getMessage().contains("the JVM of ill has ended"), e.getMessage());
        assertTrue(e.getMessage().contains("ill has -5 bytes"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aThreadThatFailsFailsTheRace(int member) {
        Race race = new Race(1, ONE_PASS, false);
        ArithmeticException e =
                assertThrows(ArithmeticException.class, () -> race.run(List.of(new Failing(member)), progress));
        assertEquals("thread " + member, e.getMessage());
    }

    @Test
    void allThreadsAttachBeforeTheFirstPass() throws IOException {
        List<String> order = new CopyOnWriteArrayList<>();
        new Race(1, ONE_PASS, false).run(List.of(new Attaching(order)), progress);
        assertEquals(Set.of("attach 0", "attach 1"), Set.copyOf(order.subList(0, 2)));
        assertTrue(order.size() > 2, order::toString);
        assertEquals(Set.of("pass 0", "pass 1"), Set.copyOf(order.subList(2, order.size())));
    }

    @Test
    void noRoundsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Race(0, ONE_PASS, false));
    }

    /** Two threads that write down what they do, the second of which takes its time to attach. */
    private record Attaching(List<String> order) implements Entrant {
        @Override
        public String name() {
            return "attaching";
        }

        @Override
        public long elements() {
            return 1;
        }

        @Override
        public int threads() {
            return 2;
        }

        @Override
        public long memory() {
            return 0;
        }

        @Override
        public List<String> jvmOptions() {
            return List.of();
        }

        @Override
        public Contestant prepare(int thread) {
            return new Contestant() {
                private Thread attached;

                @Override
                public void attach() {
                    if (1 == thread) {
                        LockSupport.parkNanos(50_000_000);
                    }
                    attached = Thread.currentThread();
                    order.add("attach " + thread);
                }

                @Override
                public void pass(Tally tally) {
                    order.add("pass " + thread);
                    if (Thread.currentThread() != attached) {
                        throw new IllegalStateException("another thread has attached");
                    }
                }
            };
        }
    }

    /** Two threads of which one fails in its first pass. */
    private record Failing(int member) implements Entrant {
        @Override
        public String name() {
            return "failing";
        }

        @Override
        public long elements() {
            return 1;
        }

        @Override
        public int threads() {
            return 2;
        }

        @Override
        public long memory() {
            return 0;
        }

        @Override
        public List<String> jvmOptions() {
            return List.of();
        }

        @Override
        public Contestant prepare(int thread) {
            return tally -> {
                if (thread == member) {
                    throw new ArithmeticException("thread " + thread);
                }
            };
        }
    }

    /** Writes its name down in every pass. */
    private record Listed(String name, List<String> order, int cycle) implements Entrant {
        @Override
        public long elements() {
            return 1;
        }

        @Override
        public int threads() {
            return 1;
        }

        @Override
        public long memory() {
            return 0;
        }

        @Override
        public List<String> jvmOptions() {
            return List.of();
        }

        @Override
        public Contestant prepare(int thread) {
            return tally -> order.add(name);
        }
    }
}
