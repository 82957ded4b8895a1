package io.sluice.trials.control;

import io.sluice.perf.report.Progress;
import io.sluice.trials.control.ControlSimulation.Result;
import io.sluice.trials.control.ControlSimulationCommand.Summary;
import io.sluice.trials.control.ControlSimulationCommand.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs many schedules on several threads, each schedule in one thread. Results do not depend on the number of threads.
 *
 * @param seed    seed of the first schedule; each following schedule uses the next number
 * @param count   number of schedules
 * @param threads number of threads
 * @param tracing whether each schedule records its events
 */
record Schedules(long seed, int count, int threads, boolean tracing) {
    /** Number of schedules between two steps of the progress bar. */
    private static final int REPORTED = 64;

    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * Runs all schedules.
     *
     * @param progress receives the number of schedules that are done
     * @param each     receives each result, in the thread that simulated it
     * @return the sums over all schedules
     */
    Summary run(Progress progress, Consumer<Result> each) throws InterruptedException {
        long startNs = System.nanoTime();
        AtomicInteger next = new AtomicInteger();
        List<Totals> totals = new ArrayList<>();
        List<Thread> running = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            Totals own = new Totals();
            totals.add(own);
            running.add(Thread.ofPlatform().daemon().name("schedules " + thread).start(() -> {
                // Scenarios use built-in policies only, so no provider is loaded from the class path.
                Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
                for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
                    Result result = ControlSimulation.run(seed + i, tracing);
                    own.add(result);
                    each.accept(result);
                }
            }));
        }
        int shown = 0;
        for (Thread thread : running) {
            while (!thread.join(Duration.ofMillis(REPORTED))) {
                shown = show(progress, shown, Math.min(next.get(), count));
            }
        }
        show(progress, shown, count);
        return total(totals, System.nanoTime() - startNs);
    }

    private static int show(Progress progress, int shown, int done) {
        for (int step = shown; step < done; step++) {
            progress.step(done + " schedules");
        }
        return done;
    }

    private Summary total(List<Totals> totals, long nanos) {
        Totals all = new Totals();
        totals.forEach(all::add);
        all.violations.sort(Comparator.comparingLong(Violation::seed));
        return new Summary(
                seed, count, all.done, all.steps, all.frames, all.faults, nanos / NANOS_PER_SECOND, all.violations);
    }

    /** The results of one thread. */
    private static final class Totals {
        private final List<Violation> violations = new ArrayList<>();
        private int done;
        private long steps;
        private long frames;
        private long faults;

        void add(Result result) {
            done += result.done() ? 1 : 0;
            steps += result.steps();
            frames += result.frames();
            faults += result.faults();
            if (null != result.violation()) {
                violations.add(new Violation(result.seed(), result.scenario().toString(), result.violation()));
            }
        }

        void add(Totals other) {
            violations.addAll(other.violations);
            done += other.done;
            steps += other.steps;
            frames += other.frames;
            faults += other.faults;
        }
    }
}
