package io.sluice.perf.exchange;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;

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
            LocalNodes.Outcome<ExchangeWorker.Outcome> outcome = LocalNodes.run(
                    driver.directory(), terms(), context -> new ExchangeWorker(context, settings).call());
            return ExchangeReport.of(
                    settings, outcome.workers(), outcome.servers().getFirst().bytesBroadcast());
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
