package io.sluice.perf.repair;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.LostWorker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.Driver;
import io.sluice.perf.cluster.HostTasks;
import io.sluice.perf.cluster.OneHost;
import io.sluice.perf.nodes.NodeProcess;
import io.sluice.perf.nodes.NodeTask;
import io.sluice.tree.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Trains with a relay in a process of its own, and kills that process. */
final class DeathRun {
    private static final String WORKER = "worker ";
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    /** Versions before the kill, so that code is compiled, and after the repair. */
    private static final int BEFORE = 100;

    private static final int AFTER = 30;
    private static final int HEAP_MB = 512;

    private final RepairPlan plan;
    private final Subtree subtree;
    private final String cluster;
    private final LastClock lastClock = new LastClock();
    private final Map<Integer, PacedTrainer> trainers = new TreeMap<>();

    /** A worker in a process of its own, with its own media driver, that is killed during a run. */
    private record Relay(String cluster, int index, String driver, RepairPlan plan) implements NodeTask<Boolean> {
        @Override
        public Boolean run() {
            WorkerContext context =
                    new WorkerContext().cluster(cluster).index(index).aeronDirectory(Path.of(driver));
            new PacedTrainer(new LastClock(), plan.params(), plan.everyNs()).train(context);
            return true;
        }
    }

    private DeathRun(RepairPlan plan) {
        this.plan = plan;
        this.subtree = Subtree.of(plan);
        this.cluster = OneHost.freeAddress();
    }

    /**
     * Runs a training with one death.
     *
     * @param plan        plan of the training
     * @param consistency rule of the cluster
     * @throws UnavailableException if another node fails, or replicas differ
     */
    static Death of(RepairPlan plan, String consistency) throws IOException, InterruptedException {
        Driver.Context context = new Driver.Context();
        long process = ProcessHandle.current().pid();
        Path own = context.directory().resolveSibling("sluice-repair-" + process);
        Path victims = context.directory().resolveSibling("sluice-repair-victim-" + process);
        RunningDriver.removeStale(victims.getParent(), victims.getFileName().toString());
        try (Driver driver = Driver.launch(context.directory(own).closeOnShutdown(true))) {
            return new DeathRun(plan).run(plan.terms(consistency), driver.directory(), victims);
        } finally {
            RunningDriver.removeStale(victims.getParent(), victims.getFileName().toString());
        }
    }

    private Death run(ClusterSettings terms, Path driver, Path victims) throws IOException, InterruptedException {
        NodeProcess victim = null;
        try (HostTasks tasks = new HostTasks(0);
                DriverView view = DriverView.open(driver)) {
            FutureTask<List<LostWorker>> served = tasks.start("server 0", () -> serve(terms, driver));
            List<FutureTask<Void>> trained = new ArrayList<>();
            for (int worker = 0; worker < plan.workers(); worker++) {
                if (worker != subtree.victim()) {
                    trained.add(train(tasks, worker, driver));
                }
            }
            victim = NodeProcess.local("the relay", HEAP_MB, List.of());
            victim.order(new NodeProcess.LaunchDriver(victims.toString(), 0));
            victim.order(new Relay(cluster, subtree.victim(), victims.toString(), plan));
            awaitVersion(tasks, BEFORE);
            requireSubtree(driver, victims);
            CounterReading before = view.read();
            long killedNs = System.nanoTime();
            victim.kill();
            tasks.await("the death is known", () -> epoch(view.read()) > epoch(before));
            long knownNs = System.nanoTime();
            awaitVersion(tasks, newest() + AFTER);
            CounterReading after = view.read();
            lastClock.end();
            tasks.results(trained);
            requireLoss(tasks.results(List.of(served)).getFirst());
            return new Death(knownNs - killedNs, survivors(killedNs, before, after));
        } finally {
            if (victim != null) {
                victim.kill();
            }
        }
    }

    private FutureTask<Void> train(HostTasks tasks, int worker, Path driver) {
        PacedTrainer trainer = new PacedTrainer(lastClock, plan.params(), plan.everyNs());
        trainers.put(worker, trainer);
        WorkerContext context =
                new WorkerContext().cluster(cluster).index(worker).aeronDirectory(driver);
        return tasks.start(WORKER + worker, () -> {
            trainer.train(context);
            return null;
        });
    }

    private List<LostWorker> serve(ClusterSettings terms, Path driver) {
        ServerContext context = new ServerContext()
                .cluster(cluster)
                .index(0)
                .aeronDirectory(driver)
                .coordinate(terms);
        try (Server server = Server.launch(context)) {
            server.run();
            return server.report().losses();
        }
    }

    private void awaitVersion(HostTasks tasks, long version) throws InterruptedException {
        tasks.await(
                "all workers have version " + version,
                () -> trainers.values().stream().allMatch(trainer -> trainer.version() >= version));
    }

    private long newest() {
        return trainers.values().stream().mapToLong(PacedTrainer::version).max().orElseThrow();
    }

    private static long epoch(CounterReading reading) {
        return reading.entries().stream()
                .filter(entry -> entry.type() == CounterType.NODE_EPOCH)
                .mapToLong(CounterReading.Entry::value)
                .max()
                .orElse(0);
    }

    /** The victim is on a host of its own, which must not change the trees. */
    private void requireSubtree(Path driver, Path victims) {
        String here = RunningDriver.hostKey(driver);
        List<Place> workers = new ArrayList<>();
        for (int worker = 0; worker < plan.workers(); worker++) {
            String host = worker == subtree.victim() ? RunningDriver.hostKey(victims) : here;
            workers.add(new Place(1 + worker, host, "127.0.0.1:" + (1 + worker)));
        }
        Subtree actual = Subtree.of(plan, List.of(new Place(0, here, "127.0.0.1:0")), workers);
        if (!subtree.equals(actual)) {
            throw new UnavailableException("the trees differ from the plan: " + actual + ", expected " + subtree);
        }
    }

    private void requireLoss(List<LostWorker> losses) {
        if (losses.size() != 1 || losses.getFirst().worker() != subtree.victim()) {
            throw new UnavailableException(
                    "expected only worker " + subtree.victim() + " to be lost, but the losses are " + losses);
        }
        if (trainers.values().stream().mapToInt(PacedTrainer::digest).distinct().count() > 1) {
            throw new UnavailableException("the parameters differ between workers at the end");
        }
    }

    private List<Death.Survivor> survivors(long killedNs, CounterReading before, CounterReading after) {
        List<Death.Survivor> survivors = new ArrayList<>();
        trainers.forEach((worker, trainer) -> survivors.add(new Death.Survivor(
                subtree.orphans().get(worker),
                trainer.longestGapNs(killedNs - SECOND_NS, killedNs),
                trainer.longestGapNs(killedNs, System.nanoTime()),
                asked(after, worker) - asked(before, worker))));
        return survivors;
    }

    private static long asked(CounterReading reading, int worker) {
        return reading.entries().stream()
                .filter(entry -> entry.type() == CounterType.NODE_RESENDS_ASKED)
                .filter(entry -> entry.node().equals(WORKER + worker))
                .mapToLong(CounterReading.Entry::value)
                .sum();
    }
}
