package io.sluice.perf.benchmark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.UnavailableException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class RunnerTest {
    @Test
    void theFirstTurnOfEachWarmsItUp() {
        List<String> order = new ArrayList<>();
        try (Runner runner = local(Pace.QUICK, listed("a", order, 1), listed("b", order, 1))) {
            turn(runner, 0);
            turn(runner, 1);
            turn(runner, 1);
        }
        // A warm-up; then each turn is a pass that is not timed, and one that is.
        assertEquals("aaabbbbb", String.join("", order));
    }

    @Test
    void aBenchmarkAlternatesWithOthersAfterAMove() {
        List<String> order = new ArrayList<>();
        Benchmark own = new Benchmark() {
            @Override
            public void pass(Tally tally) {
                tally.add(1, 0);
                order.add("a");
            }

            @Override
            public List<Benchmark> others() {
                return List.of(tally -> {
                    tally.add(2, 0);
                    order.add("b");
                });
            }

            @Override
            public void move() {
                order.add(" ");
            }
        };
        try (LocalRunner runner = new LocalRunner(List.of(new Listed("a", 1, List.of(own))), Pace.QUICK)) {
            runner.turn(0);
            List<Turn> rounds = runner.turn(0);
            assertEquals(4, rounds.size());
            rounds.forEach(round -> {
                assertEquals(1, round.bytes());
                assertEquals(2, round.others().getFirst().bytes());
            });
        }
        // Warm-ups; then each turn moves, does a pass that is not timed, and four rounds.
        assertEquals("ab aabbaabba aabbaabba", String.join("", order));
    }

    @Test
    void aTurnSumsItsThreads() {
        try (Runner runner = local(new Pace(0, 1, 1_000_000, 5), new CountingSpec("pair", 2, 10))) {
            Turn turn = turn(runner, 0);
            assertEquals(20L * turn.passes(), turn.bytes());
            assertEquals(2L * turn.passes(), turn.values());
            assertEquals(1 << 3, turn.formats());
            assertTrue(turn.nanosPerPass() > 0);
        }
    }

    @Test
    void aTurnIsAWholeNumberOfCycles() {
        List<String> order = new ArrayList<>();
        try (Runner runner = local(Pace.QUICK, listed("a", order, 3))) {
            assertEquals(3, turn(runner, 0).passes());
        }
        assertEquals(3 + 1 + 3, order.size());
    }

    @Test
    void eachGroupRunsInAJvmOfItsOwnWithItsFlags() throws IOException, InterruptedException {
        try (Runner runner = new ForkedRunner(List.of(new CountingSpec("first", 2, 20)), Pace.QUICK)) {
            assertEquals(42, runner.turn(0).getFirst().bytes());
            assertEquals(42, runner.turn(0).getFirst().bytes());
        }
    }

    @Test
    void aFailureInAnotherJvmIsReportedWithItsMessage() throws IOException, InterruptedException {
        try (Runner runner = new ForkedRunner(List.of(new CountingSpec("ill", 1, -5)), Pace.QUICK)) {
            UnavailableException e = assertThrows(UnavailableException.class, () -> runner.turn(0));
            assertEquals("ill failed: ill has -5 bytes", e.getMessage());
        }
    }

    @Test
    void aJvmThatEndsIsAnErrorThatSaysWhatItSaid() throws IOException, InterruptedException {
        try (Runner runner = new ForkedRunner(List.of(new Unheard()), Pace.QUICK)) {
            UnavailableException e = assertThrows(UnavailableException.class, () -> runner.turn(0));
            assertTrue(e.getMessage().startsWith("unheard has ended: "), e.getMessage());
            assertTrue(e.getMessage().contains("--no-such-flag"), e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aThreadThatFailsFailsTheTurn(int member) {
        Benchmark failing = _ -> {
            throw new ArithmeticException("thread " + member);
        };
        List<Benchmark> pair = member == 0 ? List.of(failing, _ -> {}) : List.of(_ -> {}, failing);
        try (Runner runner = local(Pace.QUICK, new Listed("failing", 1, pair))) {
            ArithmeticException e = assertThrows(ArithmeticException.class, () -> turn(runner, 0));
            assertEquals("thread " + member, e.getMessage());
        }
    }

    @Test
    void allThreadsAttachBeforeTheFirstPass() {
        List<String> order = new CopyOnWriteArrayList<>();
        List<Benchmark> pair = IntStream.range(0, 2)
                .<Benchmark>mapToObj(thread -> new Attaching(thread, order))
                .toList();
        try (Runner runner = local(Pace.QUICK, new Listed("attaching", 1, pair))) {
            turn(runner, 0);
        }
        assertEquals(Set.of("attach 0", "attach 1"), Set.copyOf(order.subList(0, 2)));
        assertTrue(order.size() > 2, order::toString);
        assertEquals(Set.of("pass 0", "pass 1"), Set.copyOf(order.subList(2, order.size())));
    }

    @Test
    void latenciesKeepTheirTimes() throws IOException, ClassNotFoundException {
        Tally tally = new Tally();
        assertNull(copied(tally.turn(1, 1, 0)).latencies());
        for (long nanos = 1; nanos < 200_000_000_000L; nanos *= 3) {
            tally.latency(nanos);
        }
        Turn sent = tally.turn(2, 3, 1_234_567);
        Turn received = copied(sent);
        assertEquals(sent, received);
        Histogram latencies = received.latencies();
        assertEquals(1_234_567, latencies.getStartTimeStamp());
        assertEquals(sent.latencies().getEndTimeStamp(), latencies.getEndTimeStamp());
        tally.clear();
        assertNull(tally.turn(1, 1, 0).latencies());
    }

    /** A turn as another JVM returns it. */
    private static Turn copied(Turn turn) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(turn);
        }
        return (Turn) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    }

    private static Runner local(Pace pace, BenchmarkSpec... specs) {
        return new LocalRunner(List.of(specs), pace);
    }

    private static Turn turn(Runner runner, int place) {
        return ((LocalRunner) runner).turn(place).getFirst();
    }

    private static Listed listed(String name, List<String> order, int cycle) {
        return new Listed(name, cycle, List.of(_ -> order.add(name)));
    }

    /** Benchmarks that are given. */
    private record Listed(String name, int cycle, List<Benchmark> prepare) implements BenchmarkSpec {
        @Override
        public long elements() {
            return 1;
        }

        @Override
        public long memory() {
            return 0;
        }

        @Override
        public void attach(int thread) {
            if (prepare.get(thread) instanceof Attaching attaching) {
                attaching.attach();
            }
        }
    }

    /** A benchmark whose JVM refuses to start. */
    private record Unheard() implements BenchmarkSpec {
        @Override
        public String name() {
            return "unheard";
        }

        @Override
        public long elements() {
            return 1;
        }

        @Override
        public long memory() {
            return 0;
        }

        @Override
        public List<String> jvmOptions() {
            return List.of("--no-such-flag");
        }

        @Override
        public List<Benchmark> prepare() {
            return List.of(_ -> {});
        }
    }

    /** A benchmark that records its steps; its second thread attaches late. */
    private static final class Attaching implements Benchmark {
        private final int thread;
        private final List<String> order;
        private Thread attached;

        Attaching(int thread, List<String> order) {
            this.thread = thread;
            this.order = order;
        }

        void attach() {
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
    }
}
