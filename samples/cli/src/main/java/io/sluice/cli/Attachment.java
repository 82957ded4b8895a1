package io.sluice.cli;

import io.sluice.console.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends the work of a process with its parent or on a signal. A signal such as Ctrl-C interrupts the working thread,
 * which then has a moment to leave the cluster. A child process does the same when its parent closes its standard
 * input. A signal to the child alone is not a request to leave: the child halts, and the cluster treats it as dead.
 * With the line {@code go} a parent requests the child to leave while the job runs.
 */
public final class Attachment implements AutoCloseable {
    private static final long SHUTDOWN_MS = 2_000;

    /** Time in which a parent that received the same signal closes this process's standard input. */
    private static final long PARENT_MS = 500;

    private static final int SIGTERM = 128 + 15;

    private static final String LEAVE = "leave";

    private final CountDownLatch done = new CountDownLatch(1);
    private final CountDownLatch parentIsDone = new CountDownLatch(1);
    private final Thread hook;
    private Runnable onLeave;
    private boolean isRequested;

    private Attachment(Thread hook) {
        this.hook = hook;
    }

    private Attachment(Thread atWork, boolean toParent) {
        hook = new Thread(
                () -> {
                    try {
                        boolean alone = toParent && !parentIsDone.await(PARENT_MS, TimeUnit.MILLISECONDS);
                        if (alone && done.getCount() > 0) {
                            Runtime.getRuntime().halt(SIGTERM);
                        }
                        atWork.interrupt();
                        // Does not wait for the thread's end: the thread ends in System.exit, which waits for this
                        // hook.
                        done.await(SHUTDOWN_MS, TimeUnit.MILLISECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "sluice-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Attaches the calling thread's work.
     *
     * @param toParent whether to end with standard input
     * @return the attachment, to be closed when the work is done
     */
    public static Attachment of(boolean toParent) {
        Attachment attachment = new Attachment(Thread.currentThread(), toParent);
        if (toParent) {
            Thread.ofPlatform().daemon().name("sluice-parent-watch").start(attachment::endWithInput);
        }
        return attachment;
    }

    /**
     * Creates an attachment without effect: a node on a thread of a job's JVM ends when the job interrupts the thread.
     */
    static Attachment toThread() {
        return new Attachment(null);
    }

    /**
     * Runs a task when the parent requests this process to leave, or at once if it already did.
     *
     * @param task run once, on any thread
     */
    void onLeaveRequested(Runnable task) {
        synchronized (this) {
            onLeave = task;
            if (!isRequested) {
                return;
            }
        }
        task.run();
    }

    private void requestLeave() {
        Runnable task;
        synchronized (this) {
            task = isRequested ? null : onLeave;
            isRequested = true;
        }
        if (task != null) {
            task.run();
        }
    }

    private void endWithInput() {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals(LEAVE)) {
                    requestLeave(); // other lines are ignored
                }
            }
        } catch (IOException e) {
            System.err.println("sluice: standard input failed: " + e.getMessage());
        }
        parentIsDone.countDown();
        System.exit(ExitCode.CLUSTER);
    }

    @Override
    public void close() {
        done.countDown();
        if (hook == null) {
            return;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            return; // the JVM is shutting down, and its hook waits for this thread
        }
    }
}
