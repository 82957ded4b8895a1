package io.sluice.messaging.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Map;

/**
 * Links functions of the C library, and has the functions with which threads sleep until an event. They take addresses
 * as numbers, so no call allocates, and do not distinguish failures: a thread that cannot sleep polls for work again.
 */
@SuppressWarnings("restricted") // users check that native access is allowed before the first call
public final class CLibrary {
    private static final int READ_WRITE_WITHOUT_WAIT = 2 | 0x800 | 0x80000; // O_RDWR, O_NONBLOCK, O_CLOEXEC
    private static final int OWNER_ONLY = 0600;
    private static final long FUTEX_WAIT = 0;
    private static final long FUTEX_WAKE = 1;
    private static final long NO_ADDRESS = 0;

    private CLibrary() {}

    /** Whether this is Linux on a processor whose system calls are known, and the JVM may call the C library. */
    public static boolean isAvailable() {
        return System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").matches("amd64|aarch64")
                && CLibrary.class.getModule().isNativeAccessEnabled();
    }

    /** Sleeps while a word has a value, at most for a time. */
    public static void await(long word, int value, long timespec) {
        try {
            long _ = (long) Calls.SYSCALL.invokeExact(Calls.FUTEX, word, FUTEX_WAIT, (long) value, timespec);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Wakes all threads that sleep on a word, those of other processes that have mapped it included. */
    public static void wake(long word) {
        try {
            long _ = (long)
                    Calls.SYSCALL.invokeExact(Calls.FUTEX, word, FUTEX_WAKE, (long) Integer.MAX_VALUE, NO_ADDRESS);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /**
     * Sleeps until a descriptor has something to read, at most for a time. Returns the number of such descriptors, or
     * -1.
     */
    public static int poll(long descriptors, int count, long timespec) {
        try {
            return (int) Calls.PPOLL.invokeExact(descriptors, (long) count, timespec, NO_ADDRESS);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Creates a named pipe for this user; false if that fails. */
    public static boolean makePipe(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path);
            return (int) Calls.MKFIFO.invokeExact(name, OWNER_ONLY) == 0;
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Opens a named pipe; -1 if that fails. */
    public static int openPipe(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path);
            return (int) Calls.OPEN.invokeExact(name, READ_WRITE_WITHOUT_WAIT);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Reads the available bytes, up to a number. */
    public static void read(int descriptor, long buffer, long bytes) {
        try {
            long _ = (long) Calls.READ.invokeExact(descriptor, buffer, bytes);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Writes bytes, unless the pipe is full. */
    public static void write(int descriptor, long buffer, long bytes) {
        try {
            long _ = (long) Calls.WRITE.invokeExact(descriptor, buffer, bytes);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Closes a descriptor. */
    public static void close(int descriptor) {
        try {
            int _ = (int) Calls.CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw failed(e);
        }
    }

    /** Links a function. */
    public static MethodHandle handle(String function, FunctionDescriptor types, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(function), types, options);
    }

    /** The exception for what a linked function has thrown. */
    public static RuntimeException failed(Throwable e) {
        switch (e) {
            case RuntimeException runtime -> throw runtime;
            case Error error -> throw error;
            default -> throw new IllegalStateException("a call to the C library failed", e);
        }
    }

    /** The linked functions, which are linked at the first call; the platform may refuse that. */
    private static final class Calls {
        /** The number of the system call futex, which the C library does not wrap. */
        static final long FUTEX =
                Map.of("amd64", 202L, "aarch64", 98L).getOrDefault(System.getProperty("os.arch"), -1L);

        static final MethodHandle SYSCALL = handle(
                "syscall",
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
        static final MethodHandle PPOLL =
                handle("ppoll", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
        static final MethodHandle MKFIFO = handle("mkfifo", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
        static final MethodHandle OPEN =
                handle("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), Linker.Option.firstVariadicArg(2));
        static final MethodHandle READ =
                handle("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
        static final MethodHandle WRITE =
                handle("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
        static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }
}
