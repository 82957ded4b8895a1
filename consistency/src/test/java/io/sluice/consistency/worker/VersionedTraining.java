package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A training in which all workers record their replicas at each version, until {@link #endSoon} sets its end. */
final class VersionedTraining {
    static final List<Shape> SHAPES =
            List.of(new Shape("w", 13, 31), new Shape("b", 1, 1), new Shape("u", 5, 3), new Shape("v", 40, 16));
    private static final ClusterSecret SECRET =
            ClusterSecret.of("a secret for tests, long enough".getBytes(StandardCharsets.US_ASCII));
    private static final int MORE_CLOCKS = 5;

    private final TestCluster cluster;
    private final Updates updates;
    private final AtomicLong end = new AtomicLong(Long.MAX_VALUE);
    private final AtomicLong furthest = new AtomicLong();
    private final Map<String, float[]> versions = new ConcurrentHashMap<>();

    VersionedTraining(TestDriver driver, ClusterSettings settings, Updates updates) {
        this.cluster = TestCluster.of(driver, settings);
        this.updates = updates;
        if (settings.seal()) {
            cluster.adjust(context -> context.secret(SECRET));
        }
    }

    TestCluster cluster() {
        return cluster;
    }

    Updates updates() {
        return updates;
    }

    /** The highest completed clock of a worker. */
    long furthest() {
        return furthest.get();
    }

    /** The last clock of the training, once it is known. */
    long end() {
        return end.get();
    }

    void endAt(long clock) {
        end.set(clock);
    }

    /** Ends the training a few clocks later. */
    void endSoon() {
        endAt(furthest() + MORE_CLOCKS);
    }

    void awaitClock(long clock) {
        Deadline.await(
                "a worker has reached clock " + clock,
                () -> furthest() >= clock || !cluster.failures().isEmpty());
        assertEquals(Map.of(), cluster.failures());
    }

    /** Number of notes that begin with a prefix. */
    long words(String begin) {
        return cluster.errors().stream()
                .filter(told -> told.getMessage().startsWith(begin))
                .count();
    }

    /** Waits for a note that begins with a prefix. */
    void awaitNote(String begin) {
        awaitNote(begin, 1);
    }

    /** Waits until {@code times} notes begin with a prefix. */
    void awaitNote(String begin, int times) {
        Deadline.await(begin, () -> words(begin) >= times);
    }

    /** Trains from the start to the end while an action runs; all nodes succeed. */
    void play(Runnable meanwhile) {
        try (cluster) {
            cluster.serve();
            cluster.train(this::train);
            meanwhile.run();
            cluster.awaitSuccess();
            for (Throwable told : cluster.errors()) {
                String sentence = told.getMessage();
                assertTrue(sentence.matches("server \\d (owns (no )?slices from|may leave).*"), told::toString);
            }
            requireMoves();
        }
    }

    /** Every slice that a server hands over is received by another. */
    private void requireMoves() {
        int gained = 0;
        int given = 0;
        for (ServerReport report : cluster.reports()) {
            assertEquals(0, report.framesRejected());
            gained +=
                    report.moves().stream().mapToInt(ServerReport.Move::gained).sum();
            given += report.moves().stream().mapToInt(ServerReport.Move::given).sum();
        }
        assertEquals(given, gained);
    }

    /** Waits until nodes have ended without a failure. */
    void requireSuccess(String... names) {
        for (String name : names) {
            Throwable failure = cluster.awaitEnd(name);
            if (null != failure) {
                throw new AssertionError(
                        name + " failed; all: " + cluster.failures() + ", told: " + cluster.errors(), failure);
            }
        }
    }

    /** Checks that the same training without joins and leaves has the same bits. */
    void requireBitsOf(VersionedTraining undisturbed) {
        assertEquals(undisturbed.versions.keySet(), versions.keySet());
        undisturbed.versions.forEach(
                (what, expected) -> assertArrayEquals(expected, versions.get(what), () -> what + " of " + end));
    }

    void train(Worker worker) {
        train(worker, () -> false);
    }

    /** Trains, and leaves as soon as a condition holds. */
    void train(Worker worker, BooleanSupplier leaves) {
        boolean asked = false;
        List<Table> tables = updates.declare(worker);
        worker.start(updates::initial);
        while (worker.completed() < end.get() && worker.takesPart()) {
            long round = worker.completed() + 1;
            Updates.weigh(worker, round);
            for (Table table : tables) {
                table.sync();
                note(worker, table);
                if (round % 5 != table.spec().id()) { // otherwise clock() pushes the table
                    table.update(updates.of(table.spec(), worker.index(), round));
                }
            }
            worker.clock();
            furthest.accumulateAndGet(round, Math::max);
            if (!asked && leaves.getAsBoolean()) {
                worker.requestLeave();
                asked = true;
            }
        }
        worker.drain();
        tables.forEach(table -> note(worker, table));
        assertEquals(0, worker.framesRejected());
    }

    /** Records a table right after its sync: later syncs of other tables may update it. */
    private void note(Worker worker, Table table) {
        String key = table.spec().name() + " at version " + worker.completed();
        float[] now = Updates.copy(table);
        float[] before = versions.putIfAbsent(key, now);
        if (null != before) {
            assertArrayEquals(before, now, () -> "replicas are identical: " + key);
        }
    }
}
