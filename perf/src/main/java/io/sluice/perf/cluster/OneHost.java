package io.sluice.perf.cluster;

import io.sluice.consistency.membership.LocalMembers;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.Channels;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** This machine as the host of all nodes: a media driver, and one cluster after another as threads of this process. */
public final class OneHost implements AutoCloseable {
    private static final AtomicInteger LAUNCHED = new AtomicInteger();
    private static final long LOG_RESERVE = 64L << 20;
    private static final long TERMS = 3;

    private final Driver driver;

    private OneHost(Driver driver) {
        this.driver = driver;
    }

    /**
     * Launches the driver, in a folder of its own.
     *
     * @param links number of links between nodes, which need memory
     * @param transport transport of the links; over UDP each has a log at either end
     */
    public static OneHost launch(int links, TransportKind transport) {
        Driver.Context context = new Driver.Context();
        ChannelSettings channels = new Channels().context();
        long log = TransportKind.UDP == transport
                ? 2 * TERMS * channels.udpTermLength()
                : TERMS * channels.ipcTermLength();
        Path own = context.directory()
                .resolveSibling("sluice-one-host-" + ProcessHandle.current().pid() + "-" + LAUNCHED.getAndIncrement());
        return new OneHost(Driver.launch(
                context.directory(own).expectedBytes(links * log + LOG_RESERVE).closeOnShutdown(true)));
    }

    /** The directory of the media driver. */
    public Path directory() {
        return driver.directory();
    }

    /** An address on loopback that no cluster uses. */
    public static String freeAddress() {
        return LocalMembers.free(1).getFirst().toString();
    }

    /** Runs one cluster without changes to the contexts. */
    public <T> LabCluster.Outcome<T> run(ClusterSettings terms, int trials, WorkerTask<T> task)
            throws InterruptedException {
        return run(terms, trials, _ -> {}, _ -> {}, task);
    }

    /**
     * Runs one cluster from its start to its end.
     *
     * @param terms   terms of the cluster
     * @param trials number of trials in the task, which {@link Cost#ofTrials} coordinates
     * @param servers changes the context of each server
     * @param workers changes the context of each worker
     * @param task    task of each worker
     * @return the results of the workers, by index, and the cost of each trial
     * @throws UnavailableException if a node fails
     * @throws InterruptedException if interrupted
     */
    public <T> LabCluster.Outcome<T> run(
            ClusterSettings terms,
            int trials,
            Consumer<ServerContext> servers,
            Consumer<WorkerContext> workers,
            WorkerTask<T> task)
            throws InterruptedException {
        String cluster = freeAddress();
        try (HostTasks tasks = new HostTasks(terms.workers())) {
            List<FutureTask<ServerReport>> served = new ArrayList<>();
            for (int i = 0; i < terms.servers(); i++) {
                ServerContext context = new ServerContext()
                        .cluster(cluster)
                        .index(i)
                        .coordinate(i == 0 ? terms : null)
                        .aeronDirectory(driver.directory());
                servers.accept(context);
                served.add(tasks.start("server " + i, () -> LabCluster.serve(context)));
            }
            List<FutureTask<T>> trained = new ArrayList<>();
            for (int i = 0; i < terms.workers(); i++) {
                WorkerContext context =
                        new WorkerContext().cluster(cluster).index(i).aeronDirectory(driver.directory());
                workers.accept(context);
                trained.add(tasks.start("worker " + i, () -> LabCluster.train(context, task, tasks.rendezvous())));
            }
            List<Cost> costs = Cost.ofTrials(trials, List::of, () -> DatagramUse.NONE, tasks.rendezvous(), trial -> {});
            List<T> seen = tasks.results(trained);
            return new LabCluster.Outcome<>(seen, costs, tasks.results(served));
        }
    }

    /** Stops the driver. */
    @Override
    public void close() {
        driver.close();
    }
}
