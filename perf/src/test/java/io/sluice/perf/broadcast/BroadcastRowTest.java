package io.sluice.perf.broadcast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.Cost;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.experiment.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BroadcastRowTest {
    /** 25 MB over 200 Mbit/s take a second. */
    private static final Star STAR = new Star(2, 4, 200_000_000, 1_500);

    private static final NetworkBroadcast.Variant VARIANT =
            new NetworkBroadcast.Variant(STAR, new BroadcastPlan(2, 4, 6_250_000, 1, 3), "chain", 1, false);

    private static final List<Broadcast> SEEN = List.of(
            new Broadcast(2, new Cost(5, 50_000_000, 100_000_000, 1)),
            new Broadcast(1, new Cost(3, 75_000_000, 130_000_000, 0)),
            new Broadcast(3, new Cost(4, 60_000_000, 110_000_000, 7)));

    @Test
    void takesMediansAndAddsDropsUp() {
        Row row = NetworkBroadcast.SCENARIO
                .layout()
                .rows(SEEN.stream()
                        .map(seen -> NetworkBroadcast.sample(VARIANT, seen)
                                .fact("udp_batch", "off")
                                .figure("simulated_seconds", 1.5))
                        .toList())
                .getFirst();
        Map<String, Object> expected = new LinkedHashMap<>();
        expected.put("shape", "chain");
        expected.put("workers", 4);
        expected.put("servers", 2);
        expected.put("bytes", 25_000_000L);
        expected.put("rate", 200_000_000L);
        expected.put("mtu", 1_500);
        expected.put("udp_batch", "off");
        expected.put("kept", 1.0);
        expected.put("seconds", 2.0);
        expected.put("seconds_low", 1.5);
        expected.put("seconds_high", 2.5);
        expected.put("ratio_to_wire", 2.0);
        expected.put("cpu_seconds", 4.0);
        expected.put("max_uplink_bytes", 60_000_000L);
        expected.put("uplink_ratio", 2.4);
        expected.put("wire_bytes", 110_000_000L);
        expected.put("datagrams_per_send", null); // not counted in these costs
        expected.put("dropped", 8L);
        expected.put("retransmitted", null);
        expected.put("broadcasts", 3);
        expected.put("simulated_seconds", 1.5);
        expected.put("simulation_error", -0.25);
        assertEquals(expected, row.values());
    }

    /** A broadcast lasts from the latest start to the latest end of any worker, even if the clock wraps. */
    @Test
    void timesFromTheLatestStartToTheLatestEnd() {
        long wrap = Long.MAX_VALUE - 500_000_000;
        List<BroadcastTask.Times> times = List.of(
                new BroadcastTask.Times(new long[] {wrap - 7}, new long[] {wrap + 1_500_000_000}),
                new BroadcastTask.Times(new long[] {wrap}, new long[] {wrap + 250_000_000}));
        Cluster.Outcome<BroadcastTask.Times> outcome =
                new Cluster.Outcome<>(times, List.of(new Cost(0, 0, 0, 0)), List.of());
        assertEquals(1.5, BroadcastTask.broadcasts(outcome).getFirst().seconds(), 1e-9);
    }

    /**
     * Without a tree, servers send a copy to each worker, within their budget. In a chain, a worker forwards, within
     * its own budget, the frames that workers behind it need.
     */
    @Test
    void simulatesTheTimeThatBytesAndHeadersTake() {
        int slice = 16_320;
        double budgeted = 1.0785;
        double wire = STAR.wireSeconds(25_000_000);
        double frame = STAR.frameSeconds(slice * Float.BYTES);
        assertEquals(2 * budgeted, LabSimulation.seconds(STAR, 25_000_000, "flat", slice) / wire, 0.02);
        double chain = LabSimulation.seconds(STAR, 25_000_000, "chain", slice);
        assertTrue(chain >= budgeted * wire && chain < budgeted * wire + 6 * frame, "" + chain / wire);
    }
}
