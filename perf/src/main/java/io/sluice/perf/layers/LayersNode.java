package io.sluice.perf.layers;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.perf.nodes.NodeTask;
import java.nio.file.Path;

/** The task of a host's process in a turn: a server or a worker of the turn's cluster. */
final class LayersNode {
    /** High, because links are always full and all nodes share two cores. */
    private static final int LIVENESS_MS = 20_000;

    private LayersNode() {}

    /** Serves, and returns the bytes that it broadcast. */
    record Serve(String cluster, int index, String driver, TrainingPlan plan, SyncMethod method, long rate)
            implements NodeTask<Long> {
        @Override
        public Long run() {
            ServerContext context = new ServerContext()
                    .withoutSecret(true)
                    .cluster(cluster)
                    .index(index)
                    .aeronDirectory(Path.of(driver));
            if (index == 0) {
                context.coordinate(terms());
            }
            try (Server server = Server.launch(context)) {
                server.run();
                return server.report().bytesBroadcast();
            }
        }

        /** BSP of exact f32 updates: no filter, no compression. */
        ClusterSettings terms() {
            Wire wire = new Wire(rate, plan.workers(), plan.servers());
            return ClusterSettings.builder()
                    .servers(plan.servers())
                    .workers(plan.workers())
                    .consistency("bsp")
                    .filter("none")
                    .values("f32")
                    .compressor("none")
                    .transport(TransportKind.UDP)
                    .sliceElements(method.sliceElements())
                    .order(method.order())
                    .linkBudget(wire.budget() + "bit", wire.burst(method.sliceElements()))
                    .tree("flat")
                    .livenessMs(LIVENESS_MS)
                    .build();
        }
    }

    /** Trains, with a given number of frames in the outbox. */
    record Train(String cluster, int index, String driver, TrainingPlan plan, int frames)
            implements NodeTask<Training> {
        @Override
        public Training run() {
            WorkerContext context = new WorkerContext()
                    .withoutSecret(true)
                    .cluster(cluster)
                    .index(index)
                    .aeronDirectory(Path.of(driver))
                    .outboxFrames(frames);
            return new SimulatedTrainer(plan.model(), plan.computeNs(), plan.receiving())
                    .train(context, plan.warmup(), plan.iterations());
        }
    }
}
