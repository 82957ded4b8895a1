package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.sbe.ChangeDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.Property;
import io.sluice.consistency.Stranger;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.counters.CounterType;
import io.sluice.tree.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is said of changes of the crew is taken only if it makes sense: else nothing changes. */
@Timeout(60)
class CrewNewsTest {
    private static final int SERVERS = 2;
    private static final int AGREED = ChangeStage.AGREED.ordinal();
    private static final int POLLED = ChangeStage.POLLED.ordinal();

    private final ControlMessages messages = new ControlMessages();
    private final List<String> told = new ArrayList<>();
    private final CrewNews news = new CrewNews(plan(2, 4), SERVERS, told::add);

    private static ClusterPlan plan(int workers, int places) {
        return plan(workers, places, 0);
    }

    private static ClusterPlan plan(int workers, int places, int epoch) {
        ClusterSettings settings =
                TestCluster.terms().workers(workers).places(places).build();
        List<Place> nodes = IntStream.range(0, SERVERS + places)
                .mapToObj(node -> new Place(node, "host", "127.0.0.1:1"))
                .toList();
        return new ClusterPlan(7, epoch, settings, nodes, StartPoint.FRESH);
    }

    private boolean hears(int stage, int number, int node, int joins, long clock) {
        return hears(news, stage, number, node, joins, clock);
    }

    private boolean hears(CrewNews by, int stage, int number, int node, int joins, long clock) {
        messages.change(ChangeStage.ASKED, number, node, false, clock);
        ChangeDecoder change = new ChangeDecoder().wrapAndApplyHeader(messages.buffer(), 0, new MessageHeaderDecoder());
        int root = change.offset();
        messages.buffer().putByte(root + ChangeDecoder.stageEncodingOffset(), (byte) stage);
        messages.buffer().putByte(root + ChangeDecoder.joinsEncodingOffset(), (byte) joins);
        return by.on(change);
    }

    @Test
    void whatFitsIsTaken() {
        assertTrue(hears(POLLED, 1, 4, 1, 0));
        assertFalse(news.changes().mayBegin(1), "it waits for the outcome");
        assertTrue(hears(AGREED, 1, 4, 1, 3));
        assertTrue(news.changes().mayBegin(1));
        assertEquals(List.of(), told);
        assertEquals(List.of(0, 1, 2), news.changes().history().at(3).workers());
        assertEquals(List.of(0, 1), news.changes().history().at(2).workers());
    }

    @Test
    void whatDoesNotFitIsRefusedAndChangesNothing() {
        assertTrue(hears(AGREED, 1, 4, 1, 5));
        assertTrue(news.changes().mayBegin(8));
        CrewHistory before = news.changes().history();
        for (long clock : new long[] {Long.MIN_VALUE, -1, 0, 5, 8, 1L << 62, Long.MAX_VALUE}) {
            assertFalse(hears(AGREED, 2, 5, 1, clock), "clock " + clock);
        }
        assertFalse(hears(AGREED, 2, 4, 1, 9), "it takes part already");
        assertFalse(hears(AGREED, 2, 5, 0, 9), "it takes no part");
        assertFalse(hears(AGREED, 2, 0, 0, 9), "server 0 stays");
        assertFalse(hears(AGREED, 2, 1, 1, 9), "the server owns slices already");
        assertFalse(hears(ChangeStage.PASSED.ordinal(), 2, 1, 0, 9), "it is another that may leave");
        assertFalse(hears(AGREED, 2, 6, 1, 9), "there is no such place");
        assertFalse(hears(AGREED, 2, 5, 2, 9), "neither comes nor goes");
        assertFalse(hears(POLLED, 0, 5, 1, 0));
        assertFalse(hears(POLLED, -3, 5, 1, 0));
        assertFalse(hears(POLLED, 3, 65_535, 1, 0));
        assertFalse(hears(ChangeStage.PASSED.ordinal(), 3, 5, 1, 9), "that is for servers to say");
        assertFalse(hears(200, 3, 5, 1, 9));
        assertEquals(1, told.size(), told.toString());
        assertSame(before, news.changes().history());
        assertTrue(news.changes().mayBegin(9), "nothing is awaited");
    }

    /** It has slices, or had them, and others wait for what it has to give; what one before it did is not its doing. */
    @Test
    void aServerThatHasOwnedSlicesIsNoNewcomerAnyMoreAlsoWhenItGoes() {
        CrewNews ofServer = new CrewNews(plan(2, 4, 3), 1, told::add);
        assertTrue(hears(ofServer, AGREED, 1, 1, 0, 5));
        assertTrue(hears(ofServer, AGREED, 2, 1, 1, 7));
        assertTrue(hears(ofServer, AGREED, 3, 1, 0, 9), "one before it went");
        assertTrue(ofServer.isArriving());
        ofServer.changes().ask(true);
        assertTrue(ofServer.isArriving());
        assertTrue(hears(ofServer, AGREED, 4, 1, 1, 11));
        assertFalse(ofServer.isArriving());
        ofServer.changes().ask(false);
        assertTrue(hears(ofServer, AGREED, 5, 1, 0, 13));
        assertFalse(ofServer.isArriving());
    }

    @Test
    void theLastOneStays() {
        assertTrue(hears(AGREED, 1, 2, 0, 3));
        assertFalse(hears(AGREED, 2, 3, 0, 5));
        assertEquals(List.of(1), news.changes().history().at(9).workers());
    }

    /** Whatever comes, the thread that keeps heartbeats goes on, and a history stays one. */
    @Test
    void nothingThatIsSaidThrows() {
        Property.holds(2_000, random -> {
            long clock = random.nextBoolean() ? random.nextLong(-3, 40) : random.nextLong();
            hears(random.nextInt(8), random.nextInt(-1, 3), random.nextInt(9), random.nextInt(3), clock);
            long last = 0;
            for (Crew crew : news.changes().history().crews()) {
                assertTrue(crew.since() > last && crew.size() > 0, crew.toString());
                last = crew.since();
            }
        });
    }

    /** Without a secret anybody can speak for a server: what could not be said is counted, and agreed on by nobody. */
    @Test
    void theCoordinatorRefusesAnswersThatCannotBe() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.start(
                        driver, TestCluster.terms().workers(2).places(2).build())) {
            cluster.train(worker -> {
                Table table = worker.table("w", 4, 4);
                worker.start(Initialiser.ZEROS);
                assertTrue(asked.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
                if (1 == worker.index()) {
                    worker.crew().askToGo();
                }
                while (worker.crew().takesPart() && worker.crew().now().size() > 1) {
                    table.sync();
                    worker.clock();
                }
                worker.drain();
            });
            int sent = 0;
            try (Stranger stranger = new Stranger(driver, cluster.plan(), false)) {
                messages.identify(cluster.plan().clusterId(), 1);
                for (ChangeStage stage : List.of(ChangeStage.ANSWERED, ChangeStage.PASSED)) {
                    for (long clock : new long[] {-1, 0, Long.MAX_VALUE}) {
                        int length = messages.change(stage, 1, 1, false, clock);
                        stranger.toControl(cluster.address(), messages.buffer(), length);
                        sent++;
                    }
                }
                for (ChangeStage stage : List.of(ChangeStage.ASKED, ChangeStage.POLLED, ChangeStage.AGREED)) {
                    stranger.toControl(cluster.address(), messages.buffer(), messages.change(stage, 1, 1, true, 9));
                    sent++;
                }
                int all = sent;
                Deadline.await("all are counted", () -> rejections(driver) == all);
            }
            asked.countDown();
            assertNull(cluster.awaitEnd("worker 1"));
            cluster.awaitSuccess();
            assertEquals(
                    1,
                    cluster.errors().stream()
                            .filter(error -> error.getMessage().contains("a change of the crew was refused"))
                            .count(),
                    "told once: " + cluster.errors());
        }
    }

    /** A server may be asked to go in the very moment in which it has its tables, and would take part. */
    @Test
    void whoHasAskedToGoDoesNotAskToTakePartAnyMore() {
        CrewChanges changes =
                new CrewChanges(TestCluster.terms().workers(1).places(2).build());
        changes.ask(false);
        changes.ask(true);
        assertSame(CrewChanges.Wish.GO, changes.wish());
        changes.asked(CrewChanges.Wish.GO);
        changes.ask(true);
        assertSame(CrewChanges.Wish.GO, changes.wish());
    }

    /** Asked on another thread, while the coordinator is told of what was asked before. */
    @Test
    void whoAsksToGoWhileItsFirstWishIsToldIsHeard() {
        CrewChanges changes =
                new CrewChanges(TestCluster.terms().workers(1).places(2).build());
        changes.ask(true);
        changes.ask(false);
        changes.asked(CrewChanges.Wish.JOIN);
        assertSame(CrewChanges.Wish.GO, changes.wish());
        changes.asked(CrewChanges.Wish.GO);
        assertNull(changes.wish());
    }

    private static long rejections(TestDriver driver) {
        try (DriverView view = DriverView.open(driver.directory())) {
            return view.read().entries().stream()
                    .filter(entry -> CounterType.INBOX_REJECTED == entry.type())
                    .filter(entry -> entry.key().name().contains("of the coordinator"))
                    .mapToLong(entry -> entry.value())
                    .sum();
        }
    }
}
