package io.sluice.messaging;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.agrona.LangUtil;

/**
 * A command to the driver, which an interrupt of the caller does not reach. Aeron takes an interrupt that comes while
 * the driver answers, or while a log is mapped, for the end of the client: all its links close at once, and a node
 * could not even say goodbye. So the command has a thread of its own, and the caller stays interrupted for what it does
 * next.
 */
final class DriverCommand {
    private DriverCommand() {}

    /**
     * Carries it out and waits for it, for as long as the client waits for its driver.
     *
     * @return what it gives.
     * @throws RuntimeException of the command, as it is.
     */
    static <T> T await(Supplier<T> command) {
        FutureTask<T> task = new FutureTask<>(command::get);
        Thread.ofPlatform().daemon().name("sluice-driver-command").start(task);
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
}
