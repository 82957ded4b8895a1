package io.sluice.perf.cluster;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.Routes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/**
 * This machine as the host of all nodes, with one media driver, on which clusters come and go. Nodes are threads of
 * this process; they reach each other by shared memory.
 */
public final class OneHost implements AutoCloseable {
    private static final long LOG_RESERVE = 64L << 20;

    private final Driver driver;

    private OneHost(Driver driver) {
        this.driver = driver;
    }

    /**
     * Launches the driver, in a folder of this process's own.
     *
     * @param links between nodes, for which there has to be memory
     */
    public static OneHost launch(int links) {
        Driver.Context context = new Driver.Context();
        long log = 3L * new Channels().context().ipcTermLength();
        Path own = context.directory()
                .resolveSibling("sluice-one-host-" + ProcessHandle.current().pid());
        return new OneHost(Driver.launch(
                context.directory(own).expectedBytes(links * log + LOG_RESERVE).closeOnShutdown(true)));
    }

    /**
     * Runs one cluster from its start to its end.
     *
     * @param terms  of the cluster
     * @param trials that the workers will go through, as {@link Cost#ofTrials} leads them
     * @param task   of each worker
     * @return what workers have seen, by index, and what each trial took
     * @throws io.sluice.perf.UnavailableException if a node fails
     * @throws InterruptedException if interrupted
     */
    public <T> LabCluster.Outcome<T> run(ClusterSettings terms, int trials, WorkerTask<T> task)
            throws InterruptedException {
        Endpoint loopback = new Endpoint("127.0.0.1", 0);
        String cluster = loopback.withPort(Routes.freePort(loopback)).toString();
        try (HostTasks tasks = new HostTasks(terms.workers())) {
            List<FutureTask<Void>> served = new ArrayList<>();
            for (int i = 0; i < terms.servers(); i++) {
                ServerContext context = new ServerContext()
                        .cluster(cluster)
                        .index(i)
                        .coordinate(i == 0 ? terms : null)
                        .aeronDirectory(driver.directory());
                served.add(tasks.start("server " + i, () -> {
                    try (Server server = Server.launch(context)) {
                        server.run();
                    }
                    return null;
                }));
            }
            List<FutureTask<T>> trained = new ArrayList<>();
            for (int i = 0; i < terms.workers(); i++) {
                WorkerContext context =
                        new WorkerContext().cluster(cluster).index(i).aeronDirectory(driver.directory());
                trained.add(tasks.start("worker " + i, () -> LabCluster.train(context, task, tasks.rendezvous())));
            }
            List<Cost> costs = Cost.ofTrials(trials, List::of, tasks.rendezvous());
            List<T> seen = tasks.results(trained);
            tasks.results(served);
            return new LabCluster.Outcome<>(seen, costs);
        }
    }

    /** Stops the driver. */
    @Override
    public void close() {
        driver.close();
    }
}
