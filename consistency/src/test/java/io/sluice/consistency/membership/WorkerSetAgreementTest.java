package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.Liveness;
import io.sluice.messaging.Transport;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers and two workers, whose messages the test makes, agree on which nodes join and leave. */
@Timeout(240)
class WorkerSetAgreementTest {
    private static final int DRAINED = 1;
    private static final int WORKER = 3;

    private final TestDriver driver = TestDriver.launch();
    private final Transport transport = driver.connect();
    private final ClusterSettings settings =
            TestCluster.terms().servers(2).workers(2).places(2).build();
    private final ControlMessages messages = new ControlMessages();
    private final EventLog log = new EventLog();
    private final Members nodes = new Members(
            settings,
            log,
            messages,
            new Liveness(4, TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(5), HostLoad.QUIET, 0),
            SystemNanoClock.INSTANCE,
            -1);
    private final WorkerSetAgreement agreement = new WorkerSetAgreement(nodes, this::decided);

    WorkerSetAgreementTest() {
        List<Event.Seat> seats = IntStream.range(0, 4).mapToObj(this::seat).toList();
        log.apply(new Event.Completed(new Event.Job(7, "", "", 2, settings.onDeath(), StartPoint.FRESH), seats));
        nodes.admit(IntStream.range(0, 4).mapToObj(this::candidate).toArray(NodeProxy[]::new));
    }

    @AfterEach
    void close() {
        transport.close();
        driver.close();
    }

    private Event.Seat seat(int node) {
        return new Event.Seat(10 + node, "h:" + node, "h");
    }

    private NodeProxy candidate(int node) {
        NodeIds ids = NodeIds.of(settings);
        Event.Seat seat = new Event.Seat(10 + node + 10 * log.state().number(), "h:" + node, "h");
        return NodeProxy.unreachable(ids.role(node), ids.index(node), seat);
    }

    private void decided(Event event) {
        log.apply(event);
    }

    private void arrive() {
        NodeProxy newcomer = candidate(WORKER);
        decided(new Event.Arrived(WORKER, newcomer.seat()));
        nodes.replace(WORKER, newcomer);
    }

    /** A node requests a change, all nodes answer with a clock, and both servers report that they have passed it. */
    private void change(int node, boolean joins, long clock) {
        nodes.get(node).wish = joins ? WorkerSetChanges.Wish.JOIN : WorkerSetChanges.Wish.LEAVE;
        agreement.work();
        for (int each = 0; each < nodes.size(); each++) {
            nodes.get(each).proposal = log.state().number();
            nodes.get(each).answer = clock;
        }
        agreement.work();
        nodes.get(node).wish = null;
        nodes.get(0).passed = clock;
        nodes.get(1).passed = clock;
        agreement.work();
    }

    private Presence presence(int node) {
        return log.state().member(node).presence();
    }

    private void leave(int node, long clock) {
        decided(new Event.Left(log.state().incarnation(node), clock));
    }

    @Test
    void aDrainedServerDoesNotWaitForANewcomerInTheFormerPlaceOfAWorker() {
        change(WORKER, false, 5);
        leave(WORKER, 4);
        assertTrue(log.state().isFree(WORKER));
        arrive();
        assertEquals(Presence.NEWCOMER, presence(WORKER));

        change(DRAINED, false, 8); // while the newcomer prepares itself
        assertEquals(Presence.RELEASED, presence(DRAINED), "the server has to stay");
    }

    private void request(int node, long applied) {
        nodes.get(node).wish = WorkerSetChanges.Wish.DEMOTION;
        nodes.get(node).applied = applied;
    }

    private List<Integer> demoted() {
        return log.state().demotions().stream().map(each -> each.node().node()).toList();
    }

    /** The second relay has requested it before it knew the trees without the first. */
    @Test
    void aRelayIsDemotedOnceItKnowsAllEvents() {
        int other = WORKER == 2 ? 3 : 2;
        request(WORKER, log.state().number());
        request(other, log.state().number());
        agreement.work();
        agreement.work();
        assertEquals(List.of(Math.min(WORKER, other)), demoted());
        request(2, log.state().number());
        request(3, log.state().number());
        agreement.work();
        assertEquals(List.of(2, 3), demoted());
        request(2, log.state().number());
        agreement.work();
        assertEquals(List.of(2, 3), demoted(), "once");
        assertEquals(Presence.ACTIVE, presence(2), "it takes part as before");
    }

    @Test
    void aDrainedServerStaysUntilALeavingWorkerHasLeft() {
        change(WORKER, false, 5);
        change(DRAINED, false, 8);
        assertEquals(Presence.LEAVING, presence(DRAINED));
        leave(WORKER, 4);
        assertEquals(Presence.RELEASED, presence(DRAINED));
    }

    @Test
    void aDrainedServerStaysUntilALeavingNewcomerHasLeft() {
        change(WORKER, false, 5);
        leave(WORKER, 4);
        arrive();
        change(WORKER, true, 7);
        change(WORKER, false, 9);
        change(DRAINED, false, 12);
        assertEquals(Presence.LEAVING, presence(DRAINED));
        leave(WORKER, 8);
        assertEquals(Presence.RELEASED, presence(DRAINED));
    }
}
