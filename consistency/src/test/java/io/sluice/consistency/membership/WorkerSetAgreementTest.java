package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers and two workers, whose messages the test makes, agree on which nodes join and leave. */
@Timeout(240)
class WorkerSetAgreementTest {
    private static final int DRAINED = 1;
    private static final int WORKER = 3;

    private final ClusterSettings settings =
            TestCluster.terms().servers(2).workers(2).places(2).build();
    private final EventLog log = JoinsTest.begun(settings);
    private final Members nodes = JoinsTest.members(settings, log);
    private final WorkerSetAgreement agreement = new WorkerSetAgreement(nodes, log::apply);

    private void arrive() {
        NodeProxy newcomer = JoinsTest.candidate(Role.WORKER, 1, 20);
        log.apply(new Event.Arrived(WORKER, newcomer.seat()));
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
        log.apply(new Event.Left(log.state().incarnation(node), clock));
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

    @Test
    void noChangeIsProposedOnceAWorkerHasCompletedItsWork() {
        leave(2, 9);
        nodes.get(WORKER).wish = WorkerSetChanges.Wish.LEAVE;
        nodes.get(DRAINED).wish = WorkerSetChanges.Wish.LEAVE;
        List<Event> proposed = new ArrayList<>();
        new WorkerSetAgreement(nodes, proposed::add).work();
        assertEquals(List.of(), proposed);
    }
}
