package io.sluice.perf.broadcast;

import io.sluice.perf.cluster.LabCluster;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** Other systems that broadcast. They are in the module perf/peers, which a build has only if it is asked for. */
public interface Peers extends AutoCloseable {
    /** What to do where they are missing. */
    String NOT_BUILT = "Open MPI, ZeroMQ and gRPC are not built: build them with"
            + " 'mvn -Dquick -Ppeers package -pl perf/peers -am' and run the command again";

    /** Finds them on the class path. */
    static Optional<Peers> find() {
        return ServiceLoader.load(Peers.class).findFirst();
    }

    /** What is not installed on this machine, in a sentence; {@code null} if all of them can run. */
    String missing();

    /** The names of those that can broadcast over a network here. */
    List<String> shapes();

    /**
     * Makes one ready to broadcast over a network.
     *
     * @param shape its name
     * @param cluster with the hosts
     * @param plan what to broadcast among them
     * @throws IOException if that fails
     * @throws InterruptedException if interrupted
     */
    Broadcaster over(String shape, LabCluster cluster, BroadcastPlan plan) throws IOException, InterruptedException;

    /**
     * Makes Open MPI ready to broadcast over shared memory, if nothing is {@link #missing}.
     *
     * @param plan what to broadcast
     * @throws IOException if that fails
     * @throws InterruptedException if interrupted
     */
    Broadcaster overSharedMemory(OneHostPlan plan) throws IOException, InterruptedException;

    @Override
    void close();
}
