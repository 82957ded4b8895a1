package io.sluice.perf.lab;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Changes of links and cross traffic during a job, each at its time. */
public final class LabSchedule implements AutoCloseable {
    // A connection to a host that is cut waits long; the changes of links continue in the meantime.
    private static final int THREADS = 8;

    private final Lab lab;
    private final Consumer<String> log;
    private final long begin = System.nanoTime();
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(
            THREADS, Thread.ofPlatform().daemon().name("lab ", 0).factory());

    /**
     * Starts the schedule's time.
     *
     * @param log receives a line for each change and each failure; called by other threads
     */
    public LabSchedule(Lab lab, Consumer<String> log) {
        this.lab = lab;
        this.log = log;
    }

    /** Schedules a change of a link. */
    public void add(LabEvent event) {
        at(event.at(), event.toString(), () -> event.apply(lab));
    }

    /** Schedules the start of cross traffic and, if it has a duration, its end. */
    public void add(CrossFlow flow) {
        at(flow.start(), flow.toString(), () -> {
            CrossTraffic traffic = lab.cross(flow);
            flow.duration().ifPresent(time -> end(traffic, time));
        });
    }

    /** Schedules a periodic action. */
    public void every(Duration time, Runnable action) {
        timer.scheduleAtFixedRate(action, time.toNanos(), time.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void end(CrossTraffic traffic, Duration time) {
        timer.schedule(
                () -> {
                    traffic.close();
                    say("end of " + traffic.flow() + ": " + traffic.sentBytes() + " bytes sent, "
                            + traffic.receivedBytes() + " received");
                },
                time.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    private void at(Duration time, String what, Step step) {
        long delay = time.toNanos() - (System.nanoTime() - begin);
        timer.schedule(() -> run(what, step), delay, TimeUnit.NANOSECONDS);
    }

    private void run(String what, Step step) {
        try {
            step.run();
            say(what);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            if (!timer.isShutdown()) {
                say(what + " failed: " + e.getMessage());
            }
        }
    }

    private void say(String what) {
        log.accept(String.format("at %.1f s: %s", (System.nanoTime() - begin) / 1e9, what));
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** Cancels all further actions. Running cross traffic continues until the lab ends. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
