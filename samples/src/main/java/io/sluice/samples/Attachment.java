package io.sluice.samples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ties a process to its parent and to the keyboard: it ends when standard input does (for a child process), and on
 * Ctrl-C the thread at work is interrupted and given a moment to leave the cluster. A parent may also ask it to go
 * while the job runs, with the line {@code go}.
 */
final class Attachment implements AutoCloseable {
    private static final long GOODBYE_MS = 2_000;

    private static final String GO = "go";

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;
    private Runnable going;
    private boolean isAsked;

    private Attachment(Thread atWork) {
        hook = new Thread(
                () -> {
                    atWork.interrupt();
                    try {
                        // Not the thread's end: it ends in System.exit, which waits for this hook.
                        done.await(GOODBYE_MS, TimeUnit.MILLISECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "sluice-goodbye");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Ties the calling thread's work.
     *
     * @param toParent whether to end with standard input
     * @return to be closed when the work is done
     */
    static Attachment of(boolean toParent) {
        Attachment attachment = new Attachment(Thread.currentThread());
        if (toParent) {
            Thread.ofPlatform().daemon().name("sluice-parent-watch").start(attachment::endWithInput);
        }
        return attachment;
    }

    /**
     * Has the parent ask the process to go, also if it did before now.
     *
     * @param task run once, on any thread
     */
    void onAskedToGo(Runnable task) {
        synchronized (this) {
            going = task;
            if (!isAsked) {
                return;
            }
        }
        task.run();
    }

    private void askToGo() {
        Runnable task;
        synchronized (this) {
            task = isAsked ? null : going;
            isAsked = true;
        }
        if (task != null) {
            task.run();
        }
    }

    private void endWithInput() {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals(GO)) {
                    askToGo(); // all else is of no matter, but for the end
                }
            }
        } catch (IOException e) {
            System.err.println("sluice: standard input broke: " + e.getMessage());
        }
        System.exit(ExitCode.CLUSTER);
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            return; // the JVM is going down already, the hook waits for us
        }
    }
}
