package io.sluice.perf.hops;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;

/** A thread that sends a control frame at a time, with a pause between two, until it is ended. */
final class Asking {
    private final CountDownLatch end = new CountDownLatch(1);
    private final FutureTask<Void> task;

    /**
     * Begins.
     *
     * @param echo    no other thread may use it meanwhile
     * @param everyNs from one frame's return to the next
     * @param seen    gets the round trips, in seconds
     */
    Asking(ControlEcho echo, long everyNs, DoubleStream.Builder seen) {
        task = new FutureTask<>(() -> {
            while (!end.await(everyNs, TimeUnit.NANOSECONDS)) {
                seen.add(echo.ask());
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
