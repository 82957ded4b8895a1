package io.sluice.perf.hops;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** A thread that sends control frames at fixed distances, as long as something else goes on. */
final class Asking {
    private final CountDownLatch end = new CountDownLatch(1);
    private final FutureTask<Void> task;

    /**
     * Begins.
     *
     * @param echo    to be used by nobody else meanwhile
     * @param everyNs from one frame's return to the next
     * @param seen    gets the round trips, in nanoseconds
     */
    Asking(ControlEcho echo, long everyNs, Histogram seen) {
        task = new FutureTask<>(() -> {
            while (!end.await(everyNs, TimeUnit.NANOSECONDS)) {
                echo.ask(seen);
            }
            return null;
        });
        Thread.ofPlatform().daemon().name("asking").start(task);
    }

    /** Ends it, behind the frame that is under way. */
    void end() throws InterruptedException {
        end.countDown();
        try {
            task.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e);
        }
    }
}
