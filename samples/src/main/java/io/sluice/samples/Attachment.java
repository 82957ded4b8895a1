package io.sluice.samples;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ties a process to its parent and to the keyboard: it ends when standard input does (for a child process), and on
 * Ctrl-C the thread at work is interrupted and given a moment to leave the cluster.
 */
final class Attachment implements AutoCloseable {
    private static final long GOODBYE_MS = 2_000;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;

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
        if (toParent) {
            Thread.ofPlatform().daemon().name("sluice-parent-watch").start(Attachment::endWithInput);
        }
        return new Attachment(Thread.currentThread());
    }

    private static void endWithInput() {
        InputStream in = System.in;
        try {
            while (in.read() >= 0) {
                // nothing is expected: only the end matters
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
