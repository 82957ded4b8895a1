package io.sluice.perf.failure;

import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterType;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.HostTasks;
import io.sluice.perf.nodes.NodeProcess;
import io.sluice.perf.nodes.NodeTask;
import io.sluice.tree.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Trains with a relay in a process of its own, and kills that process. */
final class DeathRun {
    private static final String WORKER = "worker ";
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    /** Number of versions before the kill, so that code is compiled, and after the repair. */
    private static final int BEFORE = 100;

    private static final int AFTER = 30;
    private static final int HEAP_MB = 512;

    private final RepairPlan plan;
    private final Subtree subtree;
    private final Path driver;
    private final Path victims;
    private final PacedTrainer.LastClock lastClock = new PacedTrainer.LastClock();
    private final Map<Integer, PacedTrainer> trainers = new TreeMap<>();
    private CounterReading before;
    private CounterReading after;
    private long killedNs;
    private long knownNs;

    /**
     * A worker that survives.
     *
     * @param orphan  whether it was a descendant of the dead worker
     * @param usualNs longest time between two versions in the last second before the kill
     * @param pauseNs longest time between two versions from the kill on, the interval of the kill included
     * @param asked   requests for missing frames by its trainer and its relay from the kill on
     */
    record Survivor(boolean orphan, long usualNs, long pauseNs, long asked) {}

    /** A worker in a process of its own, with its own media driver, that is killed during a run. */
    private record Relay(String cluster, int index, String driver, RepairPlan plan) implements NodeTask<Boolean> {
        @Override
        public Boolean run() {
            WorkerContext context =
                    new WorkerContext().cluster(cluster).index(index).aeronDirectory(Path.of(driver));
            try (Worker worker = Worker.connect(context)) {
                plan.trainer(new PacedTrainer.LastClock()).train(worker, null);
            }
            return true;
        }
    }

    private DeathRun(RepairPlan plan, Path driver) {
        this.plan = plan;
        this.subtree = Subtree.of(plan);
        this.driver = driver;
        victims = driver.resolveSibling(
                "sluice-repair-victim-" + ProcessHandle.current().pid());
        for (int worker = 0; worker < plan.workers(); worker++) {
            if (worker != subtree.victim()) {
                trainers.put(worker, plan.trainer(lastClock));
            }
        }
    }

    /**
     * Runs a training job with one death.
     *
     * @throws UnavailableException if another node fails, or replicas differ
     */
    static DeathRun of(RepairPlan plan, String consistency) throws IOException, InterruptedException {
        try (Cluster host = Cluster.onThisHost(4 * (plan.workers() + 1), TransportKind.UDP)) {
            DeathRun run = new DeathRun(plan, host.directory());
            run.removeVictim();
            try {
                Cluster.Outcome<Void> outcome = host.runWithCallerTask(
                        plan.terms(consistency),
                        WORKER + run.subtree.victim(),
                        _ -> {},
                        _ -> {},
                        (worker, rendezvous) -> run.trainers.get(worker.index()).train(worker, rendezvous),
                        run::kill);
                run.requireLoss(outcome.servers().getFirst().losses());
            } finally {
                run.removeVictim();
            }
            return run;
        }
    }

    private void removeVictim() {
        RunningDriver.removeStale(victims.getParent(), victims.getFileName().toString());
    }

    private void kill(HostTasks tasks, String cluster) throws IOException, InterruptedException {
        NodeProcess victim = NodeProcess.local("the relay", HEAP_MB, List.of());
        try (DriverView view = DriverView.open(driver)) {
            victim.order(new NodeProcess.LaunchDriver(victims.toString()));
            victim.order(new Relay(cluster, subtree.victim(), victims.toString(), plan));
            awaitVersion(tasks, BEFORE);
            requireSubtree();
            before = view.read();
            killedNs = System.nanoTime();
            victim.kill();
            tasks.await("a node has the next epoch", () -> epoch(view.read()) > epoch(before));
            knownNs = System.nanoTime();
            awaitVersion(tasks, newest() + AFTER);
            after = view.read();
            lastClock.end();
        } finally {
            victim.kill();
        }
    }

    /** Nanoseconds from the kill until the first node had the new epoch. */
    long detectionNs() {
        return knownNs - killedNs;
    }

    /** The descendants of the dead worker, or the others. */
    List<Survivor> survivors(boolean orphans) {
        List<Survivor> survivors = new ArrayList<>();
        trainers.forEach((worker, trainer) -> survivors.add(new Survivor(
                subtree.orphans().get(worker),
                trainer.longestGapNs(killedNs - SECOND_NS, killedNs),
                trainer.longestGapNs(killedNs, System.nanoTime()),
                asked(after, worker) - asked(before, worker))));
        return survivors.stream().filter(survivor -> survivor.orphan == orphans).toList();
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
    private void requireSubtree() {
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

    private void requireLoss(List<ServerReport.Loss> losses) {
        if (losses.size() != 1 || losses.getFirst().worker() != subtree.victim()) {
            throw new UnavailableException(
                    "expected only worker " + subtree.victim() + " to be lost, but the losses are " + losses);
        }
        if (trainers.values().stream().mapToInt(PacedTrainer::digest).distinct().count() > 1) {
            throw new UnavailableException("the parameters differ between workers at the end");
        }
    }

    private static long asked(CounterReading reading, int worker) {
        return reading.entries().stream()
                .filter(entry -> entry.type() == CounterType.NODE_RESENDS_ASKED)
                .filter(entry -> entry.node().equals(WORKER + worker))
                .mapToLong(CounterReading.Entry::value)
                .sum();
    }
}
