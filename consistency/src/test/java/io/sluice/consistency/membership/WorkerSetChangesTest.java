package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.Outsider;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.messaging.counters.CounterType;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node begins no round for which a change may hold, and answers with the first round that it has not begun. */
@Timeout(240)
class WorkerSetChangesTest {
    private static final int SERVERS = 2;
    private static final int OWN = SERVERS;
    private static final int NEWCOMER = SERVERS + 2;

    private final ClusterSettings settings =
            TestCluster.terms().servers(SERVERS).workers(2).places(4).build();
    private final EventLog log = begun();
    private final WorkerSetChanges changes = new WorkerSetChanges(settings, OWN, log.state());

    private static Event.Seat seat(long nonce) {
        return new Event.Seat(nonce, "127.0.0.1:1", "host");
    }

    private EventLog begun() {
        EventLog begun = new EventLog();
        List<Event.Seat> seats = IntStream.range(0, NodeIds.of(settings).count())
                .mapToObj(node -> node < NEWCOMER ? seat(10 + node) : new Event.Seat(0, "", ""))
                .toList();
        begun.apply(
                new Event.Completed(new Event.Job(7, "", "", SERVERS, DeathPolicy.SHRINK, StartPoint.FRESH), seats));
        begun.apply(new Event.Arrived(NEWCOMER, seat(99)));
        return begun;
    }

    private boolean hears(WorkerSetChanges by, Event event) {
        assertTrue(log.apply(event), event::toString);
        return by.follow(log.state());
    }

    private Event propose(int node, boolean joins) {
        return new Event.Proposed(log.state().incarnation(node), joins);
    }

    private Event agree(long clock) {
        return new Event.Agreed(log.state().proposal().number(), clock);
    }

    @Test
    void aRoundWaitsForTheOutcome() {
        assertTrue(changes.mayBegin(2));
        assertTrue(hears(changes, propose(NEWCOMER, true)));
        assertEquals(new WorkerSetChanges.Answer(log.state().number(), 3), changes.answer());
        assertFalse(changes.mayBegin(3));
        assertTrue(changes.isHeld(3));
        assertTrue(changes.mayBegin(2), "round 2 had begun before the proposal");
        assertTrue(hears(changes, agree(4)));
        assertTrue(changes.mayBegin(3));
        assertEquals(List.of(0, 1), log.state().workerSets().at(3).workers());
        assertEquals(List.of(0, 1, 2), log.state().workerSets().at(4).workers());
    }

    @Test
    void aVoidProposalHoldsUpNoRound() {
        assertTrue(hears(changes, propose(NEWCOMER, true)));
        assertFalse(changes.mayBegin(1));
        assertTrue(hears(
                changes, new Event.Lost(log.state().incarnation(NEWCOMER), 0, Failure.PEER_LOST, "it was silent")));
        assertNull(log.state().proposal());
        assertTrue(changes.mayBegin(1));
        assertEquals(List.of(0, 1), log.state().workerSets().last().workers());
    }

    /** A worker pushes its residual in its last round, so it must know that round in advance. */
    @Test
    void aLeavingWorkerAnswersWithOneMoreRound() {
        assertTrue(changes.mayBegin(2));
        assertTrue(hears(changes, propose(OWN, false)));
        assertEquals(4, changes.answer().clock());
        assertFalse(changes.mayBegin(3));
    }

    @Test
    void anAnswerHoldsUntilTheNextProposal() {
        assertTrue(changes.mayBegin(1));
        assertTrue(hears(changes, propose(NEWCOMER, true)));
        WorkerSetChanges.Answer first = changes.answer();
        assertTrue(hears(changes, new Event.Saved(9, -1, -1)));
        assertSame(first, changes.answer());
        assertTrue(hears(changes, agree(first.clock())));
        assertSame(first, changes.answer());
        assertTrue(changes.mayBegin(5));
        assertTrue(hears(changes, propose(NEWCOMER - 1, false)));
        assertEquals(new WorkerSetChanges.Answer(log.state().number(), 6), changes.answer());
    }

    @Test
    void aChangeOfARoundThatHasBegunIsAContradiction() {
        assertTrue(changes.mayBegin(3));
        assertTrue(hears(changes, propose(NEWCOMER, true)));
        assertFalse(hears(changes, agree(3)));
    }

    /** Once a server owns slices, other nodes depend on it; before that, its failure affects no other node. */
    @Test
    void aServerThatOwnsSlicesIsNoNewcomer() {
        EventLog job = new EventLog();
        List<Event.Seat> seats = List.of(seat(1), new Event.Seat(0, "", ""), seat(3), seat(4));
        job.apply(new Event.Completed(new Event.Job(7, "", "", SERVERS, DeathPolicy.SHRINK, StartPoint.FRESH), seats));
        job.apply(new Event.Arrived(1, seat(2)));
        ClusterSettings terms = TestCluster.terms()
                .servers(1)
                .serverPlaces(SERVERS)
                .workers(2)
                .places(2)
                .build();
        WorkerSetChanges ofServer = new WorkerSetChanges(terms, 1, job.state());
        assertTrue(ofServer.isArriving(job.state()));
        ofServer.ask(true);
        assertTrue(ofServer.isArriving(job.state()));
        job.apply(new Event.Proposed(job.state().incarnation(1), true));
        job.apply(new Event.Agreed(job.state().proposal().number(), 11));
        assertTrue(ofServer.follow(job.state()));
        assertFalse(ofServer.isArriving(job.state()));
        ofServer.ask(false);
        job.apply(new Event.Proposed(job.state().incarnation(1), false));
        job.apply(new Event.Agreed(job.state().proposal().number(), 13));
        assertTrue(ofServer.follow(job.state()));
        assertFalse(ofServer.isArriving(job.state()));
        assertFalse(job.state().isReleased(job.state().incarnation(1)));
        job.apply(new Event.Passed(job.state().incarnation(0), 13));
        assertTrue(ofServer.follow(job.state()));
        assertTrue(job.state().isReleased(job.state().incarnation(1)));
    }

    /** No node ever receives a change for a round that it has begun. */
    @Test
    void changesAfterAllAnswersFit() {
        Property.holds(200, random -> {
            EventLog job = begun();
            WorkerSetChanges[] nodes = new WorkerSetChanges[NEWCOMER];
            long[] begun = new long[nodes.length];
            for (int node = 0; node < nodes.length; node++) {
                nodes[node] = new WorkerSetChanges(settings, node, job.state());
            }
            for (int step = 0; step < 60; step++) {
                int node = random.nextInt(nodes.length);
                if (nodes[node].mayBegin(begun[node] + 1)) {
                    begun[node]++;
                }
                Event next = null;
                if (null == job.state().proposal()) {
                    int about = random.nextInt(SERVERS, NodeIds.of(settings).count());
                    boolean going = job.state().takesPart(about);
                    boolean last = job.state().workerSets().last().size() == 1;
                    next = going && last ? null : new Event.Proposed(job.state().incarnation(about), !going);
                } else {
                    long number = job.state().proposal().number();
                    long highest = job.state().workerSets().lastClock() + 1;
                    boolean all = true;
                    for (WorkerSetChanges each : nodes) {
                        all &= each.answer().proposal() == number;
                        highest = Math.max(highest, each.answer().clock());
                    }
                    next = all ? new Event.Agreed(number, highest) : null;
                }
                if (null != next && job.apply(next)) {
                    for (WorkerSetChanges each : nodes) {
                        assertTrue(each.follow(job.state()));
                    }
                }
            }
            assertNotEquals(0, job.state().number());
        });
    }

    /** Without a secret any process can pose as a server: impossible reports are counted, and change nothing. */
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
                    worker.requestLeave();
                }
                while (worker.takesPart() && worker.workerSet().size() > 1) {
                    table.sync();
                    worker.clock();
                }
                worker.drain();
            });
            int sent = 0;
            ControlMessages messages = new ControlMessages();
            try (Outsider outsider = new Outsider(driver, cluster.plan(), false)) {
                messages.identify(cluster.plan().clusterId(), 1);
                for (long clock : new long[] {-1, 0, Long.MAX_VALUE}) {
                    WorkerSetChanges.Answer answer = new WorkerSetChanges.Answer(9, clock);
                    int length = messages.heartbeat(0, false, 1, 0, WorkerSetChanges.Wish.JOIN, answer, 0);
                    outsider.toControl(cluster.address(), messages.buffer(), length);
                    sent++;
                }
                for (long passed : new long[] {-1, Long.MAX_VALUE}) {
                    int length = messages.heartbeat(0, false, 1, 0, null, WorkerSetChanges.Answer.NONE, passed);
                    outsider.toControl(cluster.address(), messages.buffer(), length);
                    sent++;
                }
                int all = sent;
                Deadline.await("all rejections are counted", () -> rejections(driver) == all);
            }
            asked.countDown();
            assertNull(cluster.awaitEnd("worker 1"));
            cluster.awaitSuccess();
        }
    }

    /** A server may be asked to leave just when it has its tables and would take part. */
    @Test
    void aNodeThatRequestedToLeaveDoesNotRequestToTakePart() {
        assertNull(changes.wish());
        changes.ask(true);
        assertSame(WorkerSetChanges.Wish.JOIN, changes.wish());
        changes.ask(false);
        changes.ask(true);
        assertSame(WorkerSetChanges.Wish.LEAVE, changes.wish());
    }

    /** The thread of a relay may judge by trees that the membership's thread knows to be out of date. */
    @Test
    void requestsThatWereJudgedByEarlierTreesAreVoid() {
        ClusterState judged = log.state();
        changes.askForDemotion(true, judged);
        assertTrue(hears(changes, new Event.Saved(5, -1, -1)));
        assertSame(WorkerSetChanges.Wish.DEMOTION, changes.wish(), "a snapshot changes no tree");
        assertTrue(hears(changes, new Event.Demoted(log.state().incarnation(OWN + 1))));
        assertNull(changes.wish(), "another worker is demoted");
        changes.askForDemotion(true, judged);
        assertNull(changes.wish(), "by the trees before that demotion");

        changes.askForDemotion(true, log.state());
        assertTrue(hears(changes, propose(NEWCOMER, true)));
        assertSame(WorkerSetChanges.Wish.DEMOTION, changes.wish(), "a proposal changes no tree");
        assertTrue(hears(changes, agree(4)));
        assertNull(changes.wish(), "a worker joins");

        changes.askForDemotion(true, log.state());
        assertTrue(hears(
                changes, new Event.Lost(log.state().incarnation(NEWCOMER), 0, Failure.PEER_LOST, "it was silent")));
        assertNull(changes.wish(), "a worker is lost");
    }

    @Test
    void aRelayWithdrawsItsOwnRequestForDemotionAlone() {
        changes.askForDemotion(true, log.state());
        assertSame(WorkerSetChanges.Wish.DEMOTION, changes.wish());
        changes.askForDemotion(false, log.state());
        assertNull(changes.wish());
        changes.ask(false);
        changes.askForDemotion(true, log.state());
        assertSame(WorkerSetChanges.Wish.LEAVE, changes.wish());
        changes.askForDemotion(false, log.state());
        assertSame(WorkerSetChanges.Wish.LEAVE, changes.wish());
    }

    /** A server reports a worker that it cannot serve until it learns that the worker has left. */
    @Test
    void aRefusalIsReportedUntilItIsDecided() {
        WorkerSetChanges ofServer = new WorkerSetChanges(settings, 0, log.state());
        ofServer.turnAway(NEWCOMER, 99, "it has other tables");
        assertTrue(hears(ofServer, new Event.Saved(5, -1, -1)));
        assertEquals(new WorkerSetChanges.Refusal(NEWCOMER, 99, "it has other tables"), ofServer.refusal());
        assertTrue(hears(
                ofServer,
                new Event.Lost(log.state().incarnation(NEWCOMER), 0, Failure.REFUSED, "it has other tables")));
        assertNull(ofServer.refusal());
    }

    private static long rejections(TestDriver driver) {
        return driver.sum(CounterType.INBOX_REJECTED, "of the coordinator");
    }
}
