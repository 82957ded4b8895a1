package io.sluice.perf.broadcast;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.perf.cluster.LabCluster;
import io.sluice.perf.cluster.OneHost;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Sluice's own broadcast over shared memory: one server writes a log that all workers read in place. Each turn is a
 * cluster of its own.
 */
final class SharedMemoryBroadcaster implements Broadcaster {
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(4);
    private static final int LIVENESS_MS = 20_000;

    private final OneHost host;
    private final OneHostPlan plan;

    SharedMemoryBroadcaster(OneHost host, OneHostPlan plan) {
        this.host = host;
        this.plan = plan;
    }

    @Override
    public String shape() {
        return "sluice ipc";
    }

    @Override
    public List<Broadcast> turn() throws InterruptedException {
        ClusterSettings terms = ClusterSettings.builder()
                .servers(1)
                .workers(plan.nodes())
                .consistency("bsp")
                .values("f32")
                .filter("none")
                .compressor("none")
                .transport(TransportKind.IPC)
                .livenessMs(LIVENESS_MS)
                .build();
        BroadcastTask task = new BroadcastTask(plan.elements(), 1, plan.trials(), terms.sliceElements(), QUIET_NS);
        LabCluster.Outcome<BroadcastTask.Times> outcome = host.run(terms, plan.trials(), task);
        List<Broadcast> broadcasts = new ArrayList<>();
        for (int trial = 0; trial < plan.trials(); trial++) {
            double seconds = BroadcastTask.seconds(outcome.seen(), trial);
            broadcasts.add(new Broadcast(seconds, outcome.costs().get(trial)));
        }
        return broadcasts;
    }
}
