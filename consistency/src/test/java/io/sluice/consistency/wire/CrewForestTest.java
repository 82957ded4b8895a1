package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.CrewChange;
import io.sluice.consistency.membership.CrewHistory;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Role;
import io.sluice.tree.Place;
import java.util.List;
import org.junit.jupiter.api.Test;

class CrewForestTest {
    private static Place place(int node, String host) {
        return new Place(node, host, host + ":1");
    }

    private static CrewChange change(long clock, boolean joins, Place place) {
        return new CrewChange(clock, Role.WORKER, place.node() - 1, joins, place);
    }

    /** Node 2 has had three processes, on as many hosts; who comes now is told of the third. */
    @Test
    void thePlanIsOverThoseWhoWereThereAtFirst() {
        ClusterSettings settings =
                TestCluster.terms().servers(1).workers(2).places(3).build();
        List<Place> now = List.of(place(0, "s"), place(1, "a"), place(2, "d"), place(3, "e"));
        CrewHistory history = CrewHistory.of(1, 2)
                .with(change(4, true, place(3, "x")))
                .with(change(5, false, place(2, "b")))
                .with(change(7, true, place(2, "c")))
                .with(change(8, false, place(3, "x")))
                .with(change(9, false, place(2, "c")))
                .with(change(11, true, place(2, "d")));
        List<Place> first = List.of(place(1, "a"), place(2, "b"));
        assertEquals(first, CrewForest.firstCrew(new ClusterPlan(1, 7, settings, now), history));
        List<Place> before = List.of(place(0, "s"), place(1, "a"), place(2, "b"), place(3, ""));
        CrewHistory none = CrewHistory.of(1, 2);
        assertEquals(first, CrewForest.firstCrew(new ClusterPlan(1, 0, settings, before), none));
    }
}
