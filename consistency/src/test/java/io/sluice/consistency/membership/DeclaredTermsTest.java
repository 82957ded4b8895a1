package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A worker whose trainer declares terms other than those of the workers before it is refused, whenever it joins. */
@Timeout(240)
class DeclaredTermsTest {
    private static final ClusterSecret SECRET =
            ClusterSecret.of("what these nodes know".getBytes(StandardCharsets.US_ASCII));
    private static TestDriver driver;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private static TestCluster cluster(ClusterSettings settings, boolean secret) {
        return TestCluster.of(driver, settings)
                .adjust(context -> context.secret(secret ? SECRET : null))
                .serve();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void workersThatDifferAtTheStartAreRefused(boolean secret) {
        ClusterSettings settings = TestCluster.terms().servers(1).workers(2).build();
        AtomicBoolean over = new AtomicBoolean();
        try (TestCluster cluster = cluster(settings, secret)) {
            Batch first = new Batch(32);
            Batch other = new Batch(64);
            cluster.adjustWorkers(context -> (0 == context.index() ? first : other).declareTo(context));
            cluster.train("worker 0", 0, worker -> step(worker, over));
            cluster.train("worker 1", 1, worker -> step(worker, over));
            ClusterException refusal = cluster.awaitAnyFailure();
            assertEquals(Failure.REFUSED, refusal.failure());
            Set<String> sentences = Set.of(
                    "worker 1 declares batch 64, but worker 0 declares batch 32: start all workers with the same batch",
                    "worker 0 declares batch 32, but worker 1 declares batch 64: start all workers with the same"
                            + " batch");
            assertTrue(sentences.stream().anyMatch(refusal.getMessage()::contains), refusal.getMessage());
            int refused = cluster.failures().containsKey("worker 0") ? 0 : 1;
            first.size = other.size = 0 == refused ? 64 : 32;
            over.set(true);
            cluster.train("again", refused, worker -> step(worker, over));
            assertNull(cluster.awaitEnd("again"));
            assertNull(cluster.awaitEnd("worker " + (1 - refused)));
        }
    }

    @Test
    void aDifferingWorkerThatJoinsARunningJobIsRefused() {
        ClusterSettings settings =
                TestCluster.terms().servers(1).workers(1).places(2).build();
        AtomicBoolean over = new AtomicBoolean();
        try (TestCluster cluster = cluster(settings, false)) {
            Batch batch = new Batch(32);
            cluster.adjustWorkers(batch::declareTo);
            cluster.train("worker 0", 0, worker -> step(worker, over));
            Deadline.await("the job has begun", () -> cluster.plan() != null);
            batch.size = 64;
            cluster.train("newcomer", 1, worker -> step(worker, over));
            String sentence = cluster.awaitFailure("newcomer").getMessage();
            assertTrue(
                    sentence.contains("worker 1 declares batch 64, but worker 0 declares batch 32: start all workers"
                            + " with the same batch"),
                    sentence);
            over.set(true);
            assertNull(cluster.awaitEnd("worker 0"));
        }
    }

    /** Trains until the test ends the job. */
    private static void step(Worker worker, AtomicBoolean over) {
        Table table = worker.table("w", 1, 1);
        worker.start(Initialiser.ZEROS);
        while (!over.get() || worker.completed() < 3) {
            table.sync();
            table.update(new float[1]);
            worker.clock();
        }
    }

    /** The terms that a trainer declares; a test changes them between two trainers. */
    private static final class Batch {
        private volatile int size;

        private Batch(int size) {
            this.size = size;
        }

        private void declareTo(WorkerContext context) {
            context.declare("data", "spam").declare("batch", size);
        }
    }

    /** After a restart of a worker under another coordinator, only the event log holds the declared terms. */
    @Test
    void aWorkerThatRejoinsIsComparedWithTheState() {
        assertEquals(List.of(), refusals(""));
        assertEquals(
                List.of("worker 0 declares no batch, but the worker before it declares batch 32: start all workers"
                        + " with the same batch"),
                refusals("batch=32"));
    }

    /** Why the only worker, which was lost and now declares nothing, may not rejoin. */
    private static List<String> refusals(String declared) {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(1)
                .onDeath(DeathPolicy.WAIT)
                .build();
        EventLog log = new EventLog();
        List<Event.Seat> seats =
                List.of(new Event.Seat(1, "10.0.0.1:40100", "h"), new Event.Seat(2, "10.0.0.1:40101", "h"));
        Event.Job job = new Event.Job(7, "", declared, 1, DeathPolicy.WAIT, StartPoint.FRESH);
        log.apply(new Event.Completed(job, seats));
        log.apply(new Event.Lost(new Incarnation(1, 0), 0, Failure.PEER_LOST, "worker 0 was silent"));
        List<String> told = new ArrayList<>();
        List<Event> events = new ArrayList<>();
        Joins joins = JoinsTest.joins(settings, log, told, events::add);
        joins.ask(JoinsTest.candidate(Role.WORKER, 0, 3), 0);
        joins.work(0);
        assertEquals(told.isEmpty() ? 1 : 0, events.size());
        return told;
    }

    @Test
    void theFirstTermThatDiffersIsNamed() {
        assertNull(disagreement("a=1\nb=2", "a=1\nb=2"));
        assertEquals(
                "one declares b 3, but two declares b 2: start all workers with the same b",
                disagreement("a=1\nb=3\nc=9", "a=1\nb=2"));
        assertEquals(
                "one declares no a, but two declares a 1=2: start all workers with the same a",
                disagreement("", "a=1=2"));
        assertEquals(
                "one declares c , but two declares no c: start all workers with the same c", disagreement("c=", ""));
    }

    private static String disagreement(String one, String two) {
        return DeclaredTerms.disagreement("one", one, "two", two);
    }

    /**
     * The order of declarations does not matter, and the text of arbitrary bytes is short and has no control
     * characters.
     */
    @Test
    void receivedTermsAreHarmless() {
        DeclaredTerms terms = new DeclaredTerms();
        terms.declare("rate", "0.1");
        terms.declare("batch", "32 ä");
        assertEquals("batch=32 ä\nrate=0.1", terms.text());
        byte[] sent = new Claims(List.of(), List.of(), terms.text()).older();
        assertEquals(terms.text(), DeclaredTerms.received(sent, Long.BYTES));
        Property.holds(200, random -> {
            byte[] bytes = new byte[random.nextInt(20_000)];
            random.nextBytes(bytes);
            String text = DeclaredTerms.received(bytes, random.nextInt(bytes.length + 1));
            assertTrue(text.length() <= DeclaredTerms.MAX_BYTES);
            assertTrue(text.chars().noneMatch(c -> Character.isISOControl(c) && c != '\n'));
            assertNull(DeclaredTerms.disagreement("one", text, "two", text));
        });
    }

    @Test
    void termsThatCannotBeSentAreRefused() {
        WorkerContext context = new WorkerContext().declare("batch", 32);
        refused(context, "batch", "64", "term batch is declared twice: as 32 and as 64");
        refused(context, "a=b", "1", "a term is named 'a=b', expected one line of text without '='");
        refused(context, " ", "1", "a term is named ' ', expected one line of text without '='");
        refused(context, "a", "1\n2", "term a is '1\n2', expected one line of text");
        String longest =
                "x".repeat(DeclaredTerms.MAX_BYTES - "batch=32\nlong=".getBytes(StandardCharsets.UTF_8).length);
        refused(context, "long", longest + "x", "with long the declared terms have 4097 bytes, expected at most 4096");
        context.declare("long", longest);
    }

    private static void refused(WorkerContext context, String name, String value, String sentence) {
        assertEquals(
                sentence,
                assertThrows(IllegalArgumentException.class, () -> context.declare(name, value))
                        .getMessage());
    }
}
