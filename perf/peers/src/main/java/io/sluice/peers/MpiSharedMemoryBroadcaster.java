package io.sluice.peers;

import io.sluice.perf.broadcast.Broadcast;
import io.sluice.perf.broadcast.BroadcastPlan;
import io.sluice.perf.cluster.Cost;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An alternative to Sluice on one host: Open MPI over shared memory, a process for each rank. */
final class MpiSharedMemoryBroadcaster {
    private final OpenMpi mpi;
    private final BroadcastPlan plan;

    MpiSharedMemoryBroadcaster(OpenMpi mpi, BroadcastPlan plan) {
        this.mpi = mpi;
        this.plan = plan;
    }

    List<Broadcast> turn() throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(mpi.command(1, plan.workers(), plan.bytes(), plan.trials(), List.of()));
        OpenMpi.set(builder, Map.of("btl", "self,vader"));
        List<Broadcast> broadcasts = new ArrayList<>();
        try (MpiRun run = new MpiRun(builder)) {
            for (int trial = 0; trial < plan.trials(); trial++) {
                run.awaitReady();
                MpiRun.Took took = run.broadcast();
                broadcasts.add(new Broadcast(took.seconds(), new Cost(took.cpuSeconds(), 0, 0, 0)));
                run.goOn();
            }
            run.awaitEnd();
        }
        return broadcasts;
    }
}
