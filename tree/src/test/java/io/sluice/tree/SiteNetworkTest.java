package io.sluice.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tree.planning.TopologyText;
import io.sluice.tree.planning.TreePlanners;
import io.sluice.tree.topology.Topology;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SiteNetworkTest {
    private static final String NETWORK =
            "t 5.0E-5;a - -;e 1000 1000;h 1000 1000 alpha 10.0.0.2;e 1000 1000;h 250 1000 gamma;h 1000 1000 delta"
                    + ";b alpha gamma 125";

    private static Place place(int node, String host, String address) {
        return new Place(node, host, address + ":4000");
    }

    /** Hosts are named by the machine, by the machine without its domain, and by the address. */
    @Test
    void aNodeIsWhereItsMachineIs() {
        Topology topology = TopologyText.parse(NETWORK);
        assertEquals(0, SiteNetwork.hostOf(topology, place(0, "alpha/12@34/ab", "10.9.9.9")));
        assertEquals(2, SiteNetwork.hostOf(topology, place(0, "gamma.example.org/12@34/ab", "10.9.9.9")));
        assertEquals(1, SiteNetwork.hostOf(topology, place(0, "other/12@34/ab", "10.0.0.2")));
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> SiteNetwork.hostOf(topology, place(7, "beta/1@2/c", "10.0.0.9")))
                .getMessage();
        assertEquals(
                "the topology has neither host 'beta' nor '10.0.0.9', where node 7 is: expected one of its 4 hosts",
                message);
    }

    /** With equal hosts a chain is in order of numbers; here the host with the slow uplink is last. */
    @Test
    void plansFollowTheRates() {
        Place server = place(0, "alpha/1@1/a", "127.0.0.1");
        List<Place> workers = List.of(
                place(1, "gamma/1@1/a", "127.0.0.1"),
                place(2, "delta/1@1/a", "127.0.0.1"),
                place(3, "x/1@1/a", "10.0.0.2"));
        assertEquals(List.of(0, 1, 2), senders(server, workers, SiteNetwork.equal(1e9)));
        assertEquals(List.of(0, 3, 2), senders(server, workers, SiteNetwork.of(TopologyText.parse(NETWORK))));
    }

    private static List<Integer> senders(Place server, List<Place> workers, SiteNetwork network) {
        for (boolean sharedMemory : new boolean[] {true, false}) {
            List<Integer> senders = plan(server, workers, sharedMemory, network);
            assertEquals(3, senders.size(), "a chain");
            if (!sharedMemory) {
                return senders;
            }
        }
        throw new AssertionError();
    }

    private static List<Integer> plan(Place server, List<Place> workers, boolean sharedMemory, SiteNetwork network) {
        return BroadcastPlan.of(
                        TreePlanners.named("chain"),
                        List.of(server),
                        workers,
                        sharedMemory,
                        new long[] {1 << 20},
                        1 << 16,
                        network)
                .getFirst()
                .hops()
                .stream()
                .filter(hop -> !hop.sharedMemory())
                .map(Hop::from)
                .toList();
    }

    /** Nodes of one host that do not share memory share its links. */
    @Test
    void sitesOfOneHostShareItsRates() {
        Place one = place(1, "delta/1@1/a", "127.0.0.1");
        Place other = place(2, "delta/2@2/b", "127.0.0.1");
        Topology sites = SiteNetwork.of(TopologyText.parse(NETWORK))
                .between(new LinkedHashMap<>(Map.of("one", one, "other", other)));
        assertEquals(2, sites.hosts().size());
        assertTrue(sites.hosts().stream().allMatch(host -> host.uplink() == 500 && host.downlink() == 500));
        assertEquals(1, sites.edges().size());
    }
}
