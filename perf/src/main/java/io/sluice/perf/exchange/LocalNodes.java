package io.sluice.perf.exchange;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.Routes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;

/** All servers and workers of a cluster, each a thread of this process. */
public final class LocalNodes {
    private LocalNodes() {}

    /**
     * What nodes ended with.
     *
     * @param workers by their indices
     * @param servers by theirs
     * @param <W>     what a worker ends with
     */
    public record Outcome<W>(List<W> workers, List<ServerReport> servers) {}

    /**
     * Runs a cluster to its end.
     *
     * @param directory of the media driver
     * @param terms     of the cluster
     * @param trainer   joins with the context that it is given, trains and leaves
     * @param <W>       what a worker ends with
     * @return what all ended with
     * @throws ExecutionException   if a node failed; the others have been stopped
     * @throws InterruptedException if this thread was interrupted
     */
    public static <W> Outcome<W> run(Path directory, ClusterSettings terms, Function<WorkerContext, W> trainer)
            throws ExecutionException, InterruptedException {
        return run(directory, terms, context -> {}, trainer);
    }

    /**
     * As the other, with servers that are told more.
     *
     * @param directory of the media driver
     * @param terms     of the cluster
     * @param more      for each server
     * @param trainer   joins with the context that it is given, trains and leaves
     * @param <W>       what a worker ends with
     * @return what all ended with
     * @throws ExecutionException   if a node failed; the others have been stopped
     * @throws InterruptedException if this thread was interrupted
     */
    public static <W> Outcome<W> run(
            Path directory, ClusterSettings terms, Consumer<ServerContext> more, Function<WorkerContext, W> trainer)
            throws ExecutionException, InterruptedException {
        Endpoint loopback = new Endpoint("127.0.0.1", 0);
        String cluster = loopback.withPort(Routes.freePort(loopback)).toString();
        int nodes = terms.servers() + terms.workers();
        ExecutorService threads = Executors.newFixedThreadPool(nodes);
        try {
            CompletionService<Object> ended = new ExecutorCompletionService<>(threads);
            List<Future<Object>> tasks = new ArrayList<>();
            for (int i = 0; i < terms.servers(); i++) {
                ServerContext context = new ServerContext()
                        .cluster(cluster)
                        .aeronDirectory(directory)
                        .index(i);
                ServerContext whole = 0 == i ? context.coordinate(terms) : context;
                more.accept(whole);
                tasks.add(ended.submit(() -> serve(whole)));
            }
            for (int i = 0; i < terms.workers(); i++) {
                WorkerContext context = new WorkerContext()
                        .cluster(cluster)
                        .aeronDirectory(directory)
                        .index(i);
                tasks.add(ended.submit(() -> trainer.apply(context)));
            }
            for (int i = 0; i < nodes; i++) {
                ended.take().get(); // in the order in which they end, so that a failure is seen at once
            }
            return outcome(tasks, terms.servers());
        } finally {
            threads.shutdownNow();
            threads.close();
        }
    }

    @SuppressWarnings("unchecked") // workers are behind the servers, and end with what the trainer returned
    private static <W> Outcome<W> outcome(List<Future<Object>> tasks, int servers)
            throws ExecutionException, InterruptedException {
        List<ServerReport> reports = new ArrayList<>();
        List<W> outcomes = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            if (i < servers) {
                reports.add((ServerReport) tasks.get(i).get());
            } else {
                outcomes.add((W) tasks.get(i).get());
            }
        }
        return new Outcome<>(outcomes, reports);
    }

    private static ServerReport serve(ServerContext context) {
        try (Server server = Server.launch(context)) {
            server.run();
            return server.report();
        }
    }
}
