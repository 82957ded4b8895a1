package io.sluice.perf.exchange;

import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.Protocol;
import io.sluice.consistency.membership.TransportKind;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.Routes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A cluster of one server and some workers, each a thread of this process, over shared memory and under BSP. */
final class Exchange {
    private static final int LIVENESS_MS = 10_000;
    private static final long LOG_RESERVE = 64L << 20;

    private final ExchangeSettings settings;

    Exchange(ExchangeSettings settings) {
        this.settings = settings;
    }

    /**
     * Runs the exchange to its end.
     *
     * @return what it has shown
     * @throws ExecutionException if a thread failed; the others have been stopped
     * @throws InterruptedException if this thread was interrupted
     */
    ExchangeReport run() throws ExecutionException, InterruptedException {
        try (Driver driver = Driver.launch(driverContext())) {
            Endpoint loopback = new Endpoint("127.0.0.1", 0);
            String cluster = loopback.withPort(Routes.freePort(loopback)).toString();
            return run(driver.directory(), cluster);
        }
    }

    private ExchangeReport run(Path directory, String cluster) throws ExecutionException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(settings.workers() + 1);
        try {
            CompletionService<Object> tasks = new ExecutorCompletionService<>(threads);
            ServerContext serverContext = new ServerContext()
                    .cluster(cluster)
                    .aeronDirectory(directory)
                    .coordinate(terms());
            Future<Object> bytesBroadcast = tasks.submit(() -> serve(serverContext));
            List<Future<Object>> outcomes = new ArrayList<>();
            for (int i = 0; i < settings.workers(); i++) {
                WorkerContext context = new WorkerContext()
                        .cluster(cluster)
                        .aeronDirectory(directory)
                        .index(i);
                Callable<ExchangeWorker.Outcome> worker = new ExchangeWorker(context, settings);
                outcomes.add(tasks.submit(worker::call));
            }
            for (int i = 0; i <= settings.workers(); i++) {
                tasks.take().get(); // in the order in which they end, so that a failure is seen at once
            }
            List<ExchangeWorker.Outcome> results = new ArrayList<>();
            for (Future<Object> outcome : outcomes) {
                results.add((ExchangeWorker.Outcome) outcome.get());
            }
            return ExchangeReport.of(settings, results, (long) bytesBroadcast.get());
        } finally {
            threads.shutdownNow();
            threads.close();
        }
    }

    private static long serve(ServerContext context) {
        try (Server server = Server.launch(context)) {
            server.run();
            return server.report().bytesBroadcast();
        }
    }

    private ClusterSettings terms() {
        return ClusterSettings.builder()
                .servers(1)
                .workers(settings.workers())
                .protocol(Protocol.UPDATE)
                .consistency("bsp")
                .filter("dvf:" + ExchangeUpdates.DELTA)
                .compressor("none")
                .transport(TransportKind.IPC)
                .livenessMs(LIVENESS_MS)
                .build();
    }

    private Driver.Context driverContext() {
        Driver.Context context = new Driver.Context();
        long log = 3L * new Channels().context().ipcTermLength();
        Path own = context.directory()
                .resolveSibling("sluice-exchange-" + ProcessHandle.current().pid());
        return context.directory(own)
                .expectedBytes(2 * settings.workers() * log + LOG_RESERVE)
                .closeOnShutdown(true);
    }
}
