package io.sluice.samples.lr;

import io.sluice.consistency.membership.NodeContext;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.Routes;
import io.sluice.samples.data.Dataset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A whole cluster in this JVM: a media driver of its own, and a thread for each server and each worker. */
final class InProcessCluster {
    private static final long PATIENCE_SECONDS = 100;

    private final ClusterSettings settings;
    private int termLength = 1 << 20;
    private double loss;

    /** Terms that are not named are as the command line has them, but for patience with a busy machine. */
    InProcessCluster(ClusterSettingsBuilder terms) {
        settings = terms.livenessMs(10_000).build();
    }

    /** Length of the logs' terms, in bytes. */
    InProcessCluster termLength(int bytes) {
        termLength = bytes;
        return this;
    }

    /** Share of received datagrams to drop. */
    InProcessCluster loss(double share) {
        loss = share;
        return this;
    }

    /**
     * What came of a run.
     *
     * @param <T> what each worker gives
     * @param workers by index
     * @param servers by index
     */
    record Outcome<T>(List<T> workers, List<ServerReport> servers) {}

    /**
     * What a worker has trained.
     *
     * @param parameters a copy of its replica
     * @param hash of the replica itself
     */
    record Trained(
            float[] parameters,
            String hash,
            long bytesPushed,
            long maxStaleness,
            float residualMaxAbs,
            float lastThreshold,
            long framesRejected) {}

    /** Trains to the end. */
    Outcome<Trained> train(Dataset data, LrSettings lr) {
        return run(worker -> {
            LrTrainer trainer = new LrTrainer(worker, data, lr);
            FloatView view = trainer.train((clock, loss) -> {});
            float[] parameters = new float[data.features()];
            view.copyTo(0, parameters);
            return new Trained(
                    parameters,
                    Evaluation.hash(view),
                    worker.bytesPushed(),
                    worker.stats().maxStaleness(),
                    trainer.weights().residualMaxAbs(),
                    worker.stats().lastThreshold(),
                    worker.framesRejected());
        });
    }

    /** Runs a job on each worker. */
    <T> Outcome<T> run(Function<Worker, T> job) {
        Path directory = new Driver.Context().directory().resolveSibling("sluice-test-" + UUID.randomUUID());
        Endpoint loopback = new Endpoint("127.0.0.1", 0);
        String cluster = loopback.withPort(Routes.freePort(loopback)).toString();
        Driver.Context context =
                new Driver.Context().directory(directory).channels(lengths()).receiveLoss(loss, 1);
        try (Driver _ = Driver.launch(context);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<ServerReport>> servers = new ArrayList<>();
            List<Future<T>> workers = new ArrayList<>();
            for (int i = 0; i < settings.servers(); i++) {
                servers.add(threads.submit(server(placed(new ServerContext(), i, directory, cluster))));
            }
            for (int i = 0; i < settings.workers(); i++) {
                workers.add(threads.submit(worker(placed(new WorkerContext(), i, directory, cluster), job)));
            }
            try {
                return new Outcome<>(all(workers), all(servers));
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private Channels.Context lengths() {
        return new Channels.Context().ipcTermLength(termLength).udpTermLength(termLength);
    }

    private <C extends NodeContext<C>> C placed(C context, int index, Path directory, String cluster) {
        return context.index(index)
                .aeronDirectory(directory)
                .cluster(cluster)
                .channels(new Channels(lengths()))
                .answerNs(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
    }

    private Callable<ServerReport> server(ServerContext context) {
        if (context.index() == 0) {
            context.coordinate(settings);
        }
        return () -> {
            try (Server server = Server.launch(context)) {
                server.run();
                return server.report();
            }
        };
    }

    private static <T> Callable<T> worker(WorkerContext context, Function<Worker, T> job) {
        return () -> {
            try (Worker worker = Worker.connect(context)) {
                return job.apply(worker);
            }
        };
    }

    private static <T> List<T> all(List<Future<T>> futures) {
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            try {
                results.add(future.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            } catch (ExecutionException | TimeoutException e) {
                throw new AssertionError("a node failed: " + e, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
        return results;
    }
}
