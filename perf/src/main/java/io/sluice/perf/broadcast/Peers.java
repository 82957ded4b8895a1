package io.sluice.perf.broadcast;

import io.sluice.perf.cluster.Cluster;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Other systems that broadcast. They are in the optional module perf/peers. */
public interface Peers extends AutoCloseable {
    /** Message that states how to build the module. */
    String NOT_BUILT = "Open MPI, ZeroMQ and gRPC are not built: build them with"
            + " 'mvn -Dquick -Ppeers package -pl perf/peers -am' and run the command again";

    /** Finds them on the class path. */
    static Optional<Peers> find() {
        return ServiceLoader.load(Peers.class).findFirst();
    }

    /** A sentence about the systems that are not installed here; {@code null} if all can run. */
    String missing();

    /** The names of the systems that can broadcast over a network here. */
    List<String> shapes();

    /**
     * Runs all broadcasts of a turn over a network.
     *
     * @return all broadcasts in order, warm-up included
     */
    List<Broadcast> over(String shape, Cluster cluster, BroadcastPlan plan) throws IOException, InterruptedException;

    /** Runs all broadcasts of a turn with Open MPI over shared memory, if nothing is {@link #missing}. */
    List<Broadcast> overSharedMemory(BroadcastPlan plan) throws IOException, InterruptedException;

    @Override
    void close();
}
