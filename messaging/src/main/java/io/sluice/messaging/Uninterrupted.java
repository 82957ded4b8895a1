package io.sluice.messaging;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.agrona.LangUtil;

/**
 * Runs work in such a way that an interrupt of the caller does not affect it. Aeron ends the client on an interrupt
 * while the driver answers or a log is mapped: all its links close at once, and a node could not even announce that it
 * leaves. And an interrupted thread would interrupt the agents that it closes during their last work. So the work runs
 * in a thread of its own, and the caller stays interrupted.
 */
public final class Uninterrupted {
    private Uninterrupted() {}

    /**
     * Does the work and waits for its end without a limit.
     *
     * @param work work to do.
     * @param <T> type of the result.
     * @return the result of the work.
     * @throws RuntimeException exception of the work, unchanged.
     */
    public static <T> T call(Supplier<T> work) {
        FutureTask<T> task = new FutureTask<>(work::get);
        Thread.ofPlatform().daemon().name("sluice-uninterrupted").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException _) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            LangUtil.rethrowUnchecked(e.getCause());
            throw new AssertionError(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Like {@link #call}, for work without a result.
     *
     * @param work work to do.
     * @throws RuntimeException exception of the work, unchanged.
     */
    public static void run(Runnable work) {
        call(() -> {
            work.run();
            return null;
        });
    }
}
