package io.sluice.perf.managed;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import io.sluice.messaging.Transport;
import io.sluice.perf.exchange.LocalNodes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** Trains with each method at each budget, one cluster after another over loopback UDP, all from the same seeds. */
final class ManagedRun {
    private static final double BITS_MS = 8e3;
    private static final long LOG_RESERVE = 64L << 20;

    private final ManagedPlan plan;
    private final SparseTask task;

    ManagedRun(ManagedPlan plan) {
        this.plan = plan;
        this.task = plan.task();
    }

    /**
     * Runs all.
     *
     * @param budgets  of each data link, bits per second
     * @param onBudget given the rows of each budget as soon as they are there
     * @return the rows of all budgets
     * @throws ExecutionException   if a node failed
     * @throws InterruptedException if interrupted
     */
    List<ManagedRow> run(List<Long> budgets, Consumer<List<ManagedRow>> onBudget)
            throws ExecutionException, InterruptedException {
        List<ManagedRow> all = new ArrayList<>();
        for (long budget : budgets) {
            List<ManagedRow> rows = new ArrayList<>();
            for (CommunicationMethod method : CommunicationMethod.all(plan.seed())) {
                rows.add(run(method, budget));
            }
            double goal = rows.getFirst().finalLoss();
            rows.replaceAll(row -> row.towards(goal));
            onBudget.accept(rows);
            all.addAll(rows);
        }
        return all;
    }

    private ManagedRow run(CommunicationMethod method, long budget) throws ExecutionException, InterruptedException {
        ClusterSettings terms = plan.terms(method, budget);
        try (Driver driver = Driver.launch(driverContext());
                Transport transport = Transport.connect(new Transport.Context().directory(driver.directory()));
                BudgetWatch watch = new BudgetWatch(transport, budget)) {
            ManagedTrainer trainer = new ManagedTrainer(plan, task);
            LocalNodes.Outcome<ManagedTrainer.Outcome> outcome =
                    LocalNodes.run(driver.directory(), terms, trainer::train);
            return row(method, budget, outcome, watch.stop());
        }
    }

    private ManagedRow row(
            CommunicationMethod method,
            long budget,
            LocalNodes.Outcome<ManagedTrainer.Outcome> outcome,
            double aboveRate) {
        List<ManagedTrainer.Outcome> workers = outcome.workers();
        List<ServerReport> servers = outcome.servers();
        ManagedTrainer.Outcome first = workers.getFirst();
        for (ManagedTrainer.Outcome each : workers) {
            if (!Arrays.equals(first.replica(), each.replica())) {
                throw new IllegalStateException(method.words() + ": the replicas of two workers differ in the end");
            }
        }
        double pushed =
                workers.stream().mapToLong(ManagedTrainer.Outcome::frames).sum();
        double broadcast =
                servers.stream().mapToLong(ServerReport::framesBroadcast).sum();
        return new ManagedRow(
                method.words(),
                method.protocol().configName(),
                method.order(),
                plan.consistency(),
                plan.workers(),
                plan.servers(),
                budget,
                plan.burst(),
                plan.batches(),
                first.losses(),
                null,
                first.seconds() / plan.clocks(),
                workers.stream().mapToLong(ManagedTrainer.Outcome::bytesPushed).sum(),
                servers.stream().mapToLong(ServerReport::bytesBroadcast).sum(),
                workers.stream().mapToLong(ManagedTrainer.Outcome::framesEarly).sum() / pushed,
                servers.stream().mapToLong(ServerReport::framesEarly).sum() / broadcast,
                aboveRate,
                aboveRate / plan.burst(),
                Math.max(0, aboveRate - plan.burst()) * BITS_MS / budget);
    }

    private Driver.Context driverContext() {
        Driver.Context context = new Driver.Context();
        long links = 2L * plan.workers() * plan.servers() + 2L * (plan.workers() + plan.servers());
        long log = 2L * 3 * new Channels().context().udpTermLength();
        Path own = context.directory()
                .resolveSibling("sluice-managed-" + ProcessHandle.current().pid());
        return context.directory(own).expectedBytes(links * log + LOG_RESERVE).closeOnShutdown(true);
    }
}
