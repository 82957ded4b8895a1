package io.sluice.perf.hops;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;

/** A thread that sends one control frame at a time, with a pause after each, until it is ended. */
final class Asking {
    private final CountDownLatch end = new CountDownLatch(1);
    private final FutureTask<Void> task;

    /**
     * Starts the thread.
     *
     * @param echo stream, which no other thread may use at the same time
     * @param everyNs nanoseconds from one frame's return to the next frame
     * @param seen    receives the round-trip times, in seconds
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

    /** Ends the thread after the frame in flight. */
    void end() throws InterruptedException {
        end.countDown();
        try {
            task.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause().getMessage(), e);
        }
    }
}
