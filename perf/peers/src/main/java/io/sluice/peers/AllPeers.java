package io.sluice.peers;

import io.sluice.perf.broadcast.Broadcast;
import io.sluice.perf.broadcast.BroadcastPlan;
import io.sluice.perf.broadcast.Peers;
import io.sluice.perf.cluster.Cluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.CloseHelper;

/** ZeroMQ and gRPC, and Open MPI where it is installed. */
public final class AllPeers implements Peers {
    private OpenMpi mpi;

    @Override
    public String missing() {
        return OpenMpi.missing();
    }

    @Override
    public List<String> shapes() {
        List<String> shapes = new ArrayList<>(List.of(ZeroMqBroadcaster.SHAPE, GrpcBroadcaster.SHAPE));
        if (missing() == null) {
            Arrays.stream(MpiAlgorithm.values()).map(MpiAlgorithm::shape).forEach(shapes::add);
        }
        return shapes;
    }

    @Override
    public List<Broadcast> over(String shape, Cluster cluster, BroadcastPlan plan)
            throws IOException, InterruptedException {
        return switch (shape) {
            case ZeroMqBroadcaster.SHAPE -> new ZeroMqBroadcaster(cluster, plan).turn();
            case GrpcBroadcaster.SHAPE -> new GrpcBroadcaster(cluster, plan).turn();
            default -> new MpiBroadcaster(cluster, plan, mpi(), MpiAlgorithm.named(shape)).turn();
        };
    }

    @Override
    public List<Broadcast> overSharedMemory(BroadcastPlan plan) throws IOException, InterruptedException {
        return new MpiSharedMemoryBroadcaster(mpi(), plan).turn();
    }

    private OpenMpi mpi() throws IOException {
        if (mpi == null) {
            mpi = OpenMpi.compile();
        }
        return mpi;
    }

    @Override
    public void close() {
        CloseHelper.close(mpi);
    }
}
