package io.sluice.perf.cluster;

import io.sluice.console.UnavailableException;
import io.sluice.perf.lab.Host;
import io.sluice.perf.nodes.PollingThread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Tasks that run together, each on a thread inside a host of a lab, as are all threads that it starts. When one fails,
 * no other waits for it. Used by one thread, which takes part in the {@link #rendezvous}.
 */
public final class HostTasks implements AutoCloseable {
    private static final long PATIENCE_MS = TimeUnit.SECONDS.toMillis(20);
    private static final long LONGEST_S = 180;
    private static final long LOOK_MS = 2;

    private final Rendezvous rendezvous;
    private final List<Thread> threads = new ArrayList<>();
    private final List<FutureTask<?>> tasks = new ArrayList<>();
    private final AtomicReference<UnavailableException> failure = new AtomicReference<>();

    /** Creates an empty set of tasks, of which {@code waiting} tasks will wait for one another and for the caller. */
    public HostTasks(int waiting) {
        rendezvous = new Rendezvous(waiting + 1);
    }

    /** The rendezvous of the tasks and the caller. */
    public Rendezvous rendezvous() {
        return rendezvous;
    }

    /**
     * Starts a task.
     *
     * @param host host of the task; {@code null} for the host of the caller
     * @param task task, which is interrupted when its result is no longer needed
     */
    public <T> FutureTask<T> start(Host host, String name, Callable<T> task) throws IOException, InterruptedException {
        FutureTask<T> future = new FutureTask<>(() -> call(name, task));
        tasks.add(future);
        Thread.Builder thread = Thread.ofPlatform().daemon().name(name);
        // A thread that is started inside the host stays there.
        threads.add(host == null ? thread.start(future) : host.call(() -> thread.start(future)));
        return future;
    }

    private <T> T call(String name, Callable<T> task) throws Exception {
        try {
            return task.call();
        } catch (Exception | Error e) {
            failure.compareAndSet(
                    null, new UnavailableException(name + " failed: " + (e.getMessage() == null ? e : e.getMessage())));
            rendezvous.abandon();
            throw e;
        }
    }

    /** Waits until a condition holds that the tasks make true, for at most three minutes. */
    public void await(String what, BooleanSupplier condition) throws InterruptedException {
        await(what, LONGEST_S, condition);
    }

    /**
     * Waits until a condition holds that the tasks make true; tests it every two milliseconds.
     *
     * @throws UnavailableException if a task fails, or the condition takes longer
     */
    public void await(String what, long seconds, BooleanSupplier condition) throws InterruptedException {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (failure.get() != null) {
                throw failure.get();
            }
            if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(seconds)) {
                throw new UnavailableException("timed out after " + seconds + " s, waiting until " + what);
            }
            Thread.sleep(LOOK_MS);
        }
    }

    /**
     * Waits for the results of some tasks.
     *
     * @throws UnavailableException if one has failed: with the message of the first that failed
     */
    public <T> List<T> results(List<FutureTask<T>> some) throws InterruptedException {
        List<T> results = new ArrayList<>();
        for (FutureTask<T> task : some) {
            try {
                results.add(task.get());
            } catch (ExecutionException | CancellationException e) {
                throw failure.get();
            }
        }
        return results;
    }

    /** Interrupts the tasks that still run, and waits until they have ended, up to 20 s for each. */
    @Override
    public void close() {
        rendezvous.abandon();
        tasks.forEach(task -> task.cancel(true));
        threads.forEach(thread -> PollingThread.join(thread, PATIENCE_MS));
    }
}
