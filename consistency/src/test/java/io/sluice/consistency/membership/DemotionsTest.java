package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.terms.ClusterSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes 2 and 3 are relays, whose requests the test makes. */
@Timeout(240)
class DemotionsTest {
    private final ClusterSettings settings =
            TestCluster.terms().servers(2).workers(2).build();
    private final EventLog log = JoinsTest.begun(settings);
    private final Members nodes = JoinsTest.members(settings, log);
    private final Demotions demotions = new Demotions(nodes, log::apply);

    private void request(int node) {
        nodes.get(node).wish = WorkerSetChanges.Wish.DEMOTION;
        nodes.get(node).applied = log.state().number();
    }

    private List<Integer> demoted() {
        return log.state().demotions().stream().map(each -> each.node().node()).toList();
    }

    /** The second relay has requested its demotion before it knew the trees without the first. */
    @Test
    void aRelayIsDemotedOnceItKnowsAllEvents() {
        request(3);
        request(2);
        demotions.work();
        demotions.work();
        assertEquals(List.of(2), demoted());
        request(2);
        request(3);
        demotions.work();
        assertEquals(List.of(2, 3), demoted());
        request(2);
        demotions.work();
        assertEquals(List.of(2, 3), demoted(), "once");
        assertEquals(Presence.ACTIVE, log.state().member(2).presence(), "it takes part as before");
    }

    @Test
    void noRelayIsDemotedOnceAWorkerHasCompletedItsWork() {
        log.apply(new Event.Left(log.state().incarnation(3), 9));
        request(2);
        demotions.work();
        assertEquals(List.of(), demoted());
    }
}
