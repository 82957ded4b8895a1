package io.sluice.perf.link;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Binds threads to cores, on Linux. Otherwise the scheduler puts sender and receiver sometimes on one core and
 * sometimes on two, for a whole turn, and the results differ by a factor of five.
 */
@SuppressWarnings("restricted")
final class CoreAffinity {
    /** Bytes of a set of 1,024 cores, the size that the C library uses. */
    private static final int SET_BYTES = 128;

    /** Both functions take a thread (0 is the calling one), the length of a set, and a set. */
    private static final FunctionDescriptor SIGNATURE = FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);

    private static final MethodHandle GET = function("sched_getaffinity");
    private static final MethodHandle SET = function("sched_setaffinity");

    private CoreAffinity() {}

    /** The function of that name in the C library, or {@code null} if it has none. */
    private static MethodHandle function(String name) {
        Linker linker = Linker.nativeLinker();
        return linker.defaultLookup()
                .find(name)
                .map(address -> linker.downcallHandle(address, SIGNATURE))
                .orElse(null);
    }

    /**
     * Binds the calling thread to one of its allowed cores. Threads that it starts later are bound too.
     *
     * @param ordinal ordinal of the core among the allowed ones, from 0
     * @return whether the thread is bound; false if there are fewer cores, or the system has no such call
     */
    static boolean bind(int ordinal) {
        if (GET == null || SET == null) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment allowed = arena.allocate(SET_BYTES, Long.BYTES);
            if ((int) GET.invokeExact(0, (long) SET_BYTES, allowed) < 0) {
                return false;
            }
            int core = member(allowed, ordinal);
            if (core < 0) {
                return false;
            }
            MemorySegment only = arena.allocate(SET_BYTES, Long.BYTES);
            only.set(ValueLayout.JAVA_BYTE, core / Byte.SIZE, (byte) (1 << core % Byte.SIZE));
            return (int) SET.invokeExact(0, (long) SET_BYTES, only) == 0;
        } catch (Throwable e) {
            throw new IllegalStateException("a thread cannot be bound to a core", e);
        }
    }

    /** The number of the core at a position of the set, or -1. */
    private static int member(MemorySegment set, int ordinal) {
        int before = 0;
        for (int core = 0; core < SET_BYTES * Byte.SIZE; core++) {
            boolean contained = (set.get(ValueLayout.JAVA_BYTE, core / Byte.SIZE) >> core % Byte.SIZE & 1) != 0;
            if (contained && before == ordinal) {
                return core;
            }
            before += contained ? 1 : 0;
        }
        return -1;
    }
}
