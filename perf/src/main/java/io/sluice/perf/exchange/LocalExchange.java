package io.sluice.perf.exchange;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Measures the time of one clock ({@code sync}, {@code update} and {@code clock}) over shared memory, with one server.
 *
 * <p>Under BSP the {@code sync} of a clock waits for the broadcast of the previous clock, so that a clock's time is
 * that of a full round. The loop is closed, as training is. The trainers compute nothing, so computation hides no
 * communication. Bytes are those in the Aeron log, headers and alignment included, averaged over all clocks, including
 * those of the warm-up.
 */
public final class LocalExchange extends Experiment<LocalExchange.Way> {
    private static final int MOST_CLOCKS = 1_000_000;
    private static final Parameter<List<Integer>> WORKERS =
            Parameter.whole("workers", 1, 1, 64).several("1,2").help("Workers");
    private static final Parameter<List<Double>> KEPT = Parameter.share("kept", 1)
            .several("0.001,0.2,1")
            .help("Share of the elements that pass the filters of workers and server");
    private static final Parameter<Integer> PARAMS =
            Parameter.whole("params", 1_000_000, 1_000, 1 << 28).help("Parameters");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 500, 1, MOST_CLOCKS).help("Measured clocks in each turn");
    private static final Parameter<Integer> WARMUP =
            Parameter.whole("warmup", 200, 0, MOST_CLOCKS).help("Warm-up clocks in each turn");

    public static final Scenario SCENARIO = new Scenario(
            "local-exchange",
            List.of(
                    "Measures a clock of the whole exchange over shared memory, with one server.",
                    "Nodes are threads of this process and compute nothing."),
            1,
            Parameter.declaredBy(LocalExchange.class),
            new Layout(
                    LocalExchange::title,
                    List.of(
                            Column.fact("workers").shownShort("workers"),
                            Column.fact("params"),
                            Column.fact("kept").shownShort("kept"),
                            Column.median("kept_measured"),
                            Column.percentile("p50", "seconds", 50).shown("p50 us", "%,.0f", 1e6),
                            Column.percentile("p99", "seconds", 99).shown("p99 us", "%,.0f", 1e6),
                            Column.max("max", "seconds").shown("max us", "%,.0f", 1e6),
                            Column.count("clocks", "seconds"),
                            Column.median("pushed_bytes")
                                    .shown("pushed B", "%,.0f")
                                    .note("by a worker in a clock, counted in the log"),
                            Column.median("broadcast_bytes")
                                    .shown("broadcast B", "%,.0f")
                                    .note("to a worker in a clock"))),
            LocalExchange::new);

    private Cluster host;

    record Way(int workers, double kept) {}

    private record Seen(double[] seconds, long bytesPushed, long elementsKept) {}

    private LocalExchange(Settings settings) {
        super(settings);
    }

    private static String title(Row row) {
        return String.format("%,.0f parameters, 1 server, shared memory, BSP", row.number("params"));
    }

    @Override
    public List<Way> variants() {
        List<Way> ways = new ArrayList<>();
        get(WORKERS).forEach(workers -> get(KEPT).forEach(kept -> ways.add(new Way(workers, kept))));
        return ways;
    }

    @Override
    public void open() {
        int most = get(WORKERS).stream().max(Integer::compare).orElseThrow();
        host = closing(Cluster.onThisHost(2 * most, TransportKind.IPC));
    }

    @Override
    public List<Sample> measure(Way way) throws IOException, InterruptedException {
        ClusterSettings terms = Cluster.terms(1, way.workers())
                .filter("dvf:" + ExchangeUpdates.DELTA)
                .build();
        int params = get(PARAMS);
        int warmup = get(WARMUP);
        int clocks = warmup + get(CLOCKS);
        ExchangeUpdates updates = new ExchangeUpdates(params, way.kept());
        Cluster.Outcome<Seen> outcome = host.run(terms, 0, (worker, _) -> train(worker, updates, params, clocks));
        double workerClocks = (double) way.workers() * clocks;
        double[] seconds = outcome.seen().stream()
                .flatMapToDouble(seen -> Arrays.stream(seen.seconds()).skip(warmup))
                .toArray();
        return List.of(new Sample()
                .fact("workers", way.workers())
                .fact("kept", way.kept())
                .figure("seconds", seconds)
                .figure("kept_measured", outcome.sum(Seen::elementsKept) / (workerClocks * params))
                .figure("pushed_bytes", outcome.sum(Seen::bytesPushed) / workerClocks)
                .figure("broadcast_bytes", outcome.served(ServerReport::bytesBroadcast) / workerClocks));
    }

    private static Seen train(Worker worker, ExchangeUpdates updates, int params, int clocks) {
        double[] seconds = new double[clocks];
        Table table = worker.table("table", 1, params);
        worker.start(Initialiser.ZEROS);
        for (int clock = 1; clock <= clocks; clock++) {
            long startNs = System.nanoTime();
            table.sync();
            table.update(updates.ofClock(clock));
            worker.clock();
            seconds[clock - 1] = (System.nanoTime() - startNs) / NS;
        }
        worker.drain();
        updates.check(table, clocks, worker.workers());
        return new Seen(seconds, worker.bytesPushed(), worker.stats().elementsKept());
    }
}
