package io.sluice.perf.lab;

import io.sluice.messaging.linux.CLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A thread inside a network namespace. A socket belongs to the namespace of the thread that opened it, regardless of
 * the threads that use it later. So this process can have sockets on every host of a lab, without a JVM on each host.
 */
final class NamespaceThread {
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int READ_ONLY_CLOSE_ON_EXEC = 0x80000;
    private static final MethodHandle OPEN = CLibrary.handle(
            "open",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle SETNS = CLibrary.handle(
            "setns", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private NamespaceThread() {}

    /** Runs an action in a namespace, on a thread that ends with the action. */
    static <T> T call(String namespace, Callable<T> action) throws IOException, InterruptedException {
        FutureTask<T> task = new FutureTask<>(() -> {
            enter(namespace);
            return action.call();
        });
        Thread.ofPlatform().daemon().name("in " + namespace).start(task);
        try {
            return task.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException io -> throw io;
                case RuntimeException runtime -> throw runtime;
                case Error error -> throw error;
                case Throwable other -> throw new IllegalStateException("in " + namespace, other);
            }
        }
    }

    private static void enter(String namespace) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path =
                    arena.allocateFrom(NetworkNamespaces.file(namespace).toString());
            int file = (int) OPEN.invokeExact(path, READ_ONLY_CLOSE_ON_EXEC);
            if (file < 0) {
                throw new IOException("there is no network namespace " + namespace);
            }
            int entered = (int) SETNS.invokeExact(file, CLONE_NEWNET);
            CLibrary.close(file);
            if (entered != 0) {
                throw new IOException("the network namespace " + namespace + " cannot be entered");
            }
        } catch (IOException e) {
            throw e;
        } catch (Throwable e) {
            throw CLibrary.failed(e);
        }
    }
}
