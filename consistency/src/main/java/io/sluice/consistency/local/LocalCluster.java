package io.sluice.consistency.local;

import io.sluice.consistency.membership.LocalMembers;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.Settings;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs a whole job in this JVM: a media driver of its own, and a thread for each server and each worker. Nodes exchange
 * updates as separate processes do, through shared memory or UDP on the loopback interface. Use it for first steps and
 * for tests of trainers: all nodes share the heap and the cores of this JVM, and end with it. Logs get their memory
 * as they are written, so a full file system ends the JVM with a fault ({@link Driver.Context#sparseLogs}). The
 * property {@code sluice.driver.sparse.logs=false} prevents that.
 */
public final class LocalCluster {
    /** Prefix of the names of drivers' directories. */
    private static final String PREFIX = "sluice-local-";

    private static final String SPARSE_LOGS = "sluice.driver.sparse.logs";

    /** The work of one worker. */
    @FunctionalInterface
    public interface Trainer {
        /**
         * Declares tables, starts the worker, trains, and completes as {@link Worker} describes: usually with
         * {@link Worker#drain()}.
         *
         * @param worker connected worker, which the caller closes; if the worker has not completed, the job fails
         * @throws Exception that ends the job
         */
        void train(Worker worker) throws Exception;
    }

    private final ClusterSettings terms;
    private final Trainer trainer;
    private final Path directory;
    private final String address;

    /** The first exception of a trainer; it makes other nodes fail. */
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();

    private LocalCluster(ClusterSettings terms, Trainer trainer) {
        this.terms = terms;
        this.trainer = trainer;
        this.directory = new Driver.Context().directory().resolveSibling(PREFIX + UUID.randomUUID());
        this.address = LocalMembers.free(1).getFirst().toString();
    }

    /**
     * Runs a job from its start to its end. After a failure it interrupts all nodes and waits until every trainer has
     * returned, without a limit of time: the next call of a worker throws in a trainer that ignores the interrupt.
     *
     * @param terms   terms of the cluster, with the numbers of its servers and workers
     * @param trainer run once for each worker, each time in a new thread
     * @return the reports of the servers, in order of index
     * @throws RuntimeException     of a trainer, or of the node that failed first; a
     *     {@link io.sluice.consistency.terms.ClusterException} that names the worker if a trainer returns without
     *     {@link Worker#drain()} or {@link Worker#leave()}
     * @throws Error                of a trainer
     * @throws CompletionException  whose cause is the checked exception of a trainer
     * @throws InterruptedException if this thread is interrupted, after all nodes have ended
     */
    public static List<ServerReport> run(ClusterSettings terms, Trainer trainer) throws InterruptedException {
        LocalCluster cluster = new LocalCluster(terms, trainer);
        RunningDriver.removeStale(cluster.directory.getParent(), PREFIX); // of killed processes
        Driver.Context driver = new Driver.Context()
                .directory(cluster.directory)
                .closeOnShutdown(true)
                .sparseLogs(Settings.flag(SPARSE_LOGS, true)) // most such jobs write a small part of their logs
                .clientLivenessNs(RunningDriver.LIVENESS_OF_THREADS_NS);
        try (Driver _ = Driver.launch(driver)) {
            return cluster.run();
        }
    }

    private List<ServerReport> run() throws InterruptedException {
        ExecutorService threads = Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().daemon().name("sluice-local-", 0).factory());
        try (threads) {
            try {
                return await(new ExecutorCompletionService<>(threads));
            } catch (ExecutionException e) {
                throw failure(e.getCause());
            } finally {
                threads.shutdownNow(); // a node that continues would wait for the failed node
            }
        }
    }

    private List<ServerReport> await(ExecutorCompletionService<ServerReport> ends)
            throws InterruptedException, ExecutionException {
        List<Future<ServerReport>> servers = new ArrayList<>();
        for (int index = 0; index < terms.servers(); index++) {
            int server = index;
            servers.add(ends.submit(() -> serve(server)));
        }
        for (int index = 0; index < terms.workers(); index++) {
            int worker = index;
            ends.submit(() -> train(worker));
        }
        for (int node = 0; node < terms.servers() + terms.workers(); node++) {
            ends.take().get();
        }
        return servers.stream().map(Future::resultNow).toList();
    }

    /** A failure of one node ends all others; the first cause explains more than their exceptions. */
    private RuntimeException failure(Throwable first) {
        Throwable cause = null == thrown.get() ? first : thrown.get();
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException e ? e : new CompletionException(cause);
    }

    private ServerReport serve(int index) {
        ServerContext context = at(new ServerContext().index(index));
        if (0 == index) {
            context.coordinate(terms);
        }
        try (Server server = Server.launch(context)) {
            server.run();
            return server.report();
        }
    }

    private ServerReport train(int index) throws Exception {
        try (Worker worker = Worker.connect(at(new WorkerContext().index(index)))) {
            try {
                trainer.train(worker);
            } catch (Throwable e) {
                thrown.compareAndSet(null, e);
                worker.fail(e);
                throw e;
            }
        }
        return null;
    }

    private <C extends NodeContext<C>> C at(C context) {
        return context.cluster(address).aeronDirectory(directory);
    }
}
