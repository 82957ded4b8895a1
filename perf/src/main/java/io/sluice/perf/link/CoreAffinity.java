package io.sluice.perf.link;

import io.sluice.messaging.linux.CLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.OptionalInt;

/**
 * Binds threads to cores, on Linux. Otherwise the scheduler runs sender and receiver on one core in some turns and on
 * two in others, and the results differ by a factor of five.
 */
final class CoreAffinity {
    /** Number of bytes of a set of 1,024 cores, the size that the C library uses. */
    private static final int SET_BYTES = 128;

    private CoreAffinity() {}

    /** The system calls: both take a thread (0 is the calling one), the length of a set, and a set. */
    private static final class Calls {
        static final FunctionDescriptor SIGNATURE = FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
        static final MethodHandle GET = CLibrary.handle("sched_getaffinity", SIGNATURE);
        static final MethodHandle SET = CLibrary.handle("sched_setaffinity", SIGNATURE);
    }

    /**
     * Binds the calling thread to one of its allowed cores. Threads that it starts later are bound too.
     *
     * @param ordinal ordinal of the core among the allowed ones, from 0
     * @return whether the thread is bound; false if there are fewer cores, or the system has no such call
     */
    static boolean bind(int ordinal) {
        if (!CLibrary.isAvailable()) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES, Long.BYTES);
            if ((int) Calls.GET.invokeExact(0, (long) SET_BYTES, set) < 0) {
                return false;
            }
            OptionalInt core = BitSet.valueOf(set.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN)).stream()
                    .skip(ordinal)
                    .findFirst();
            if (core.isEmpty()) {
                return false;
            }
            set.fill((byte) 0);
            set.set(ValueLayout.JAVA_BYTE, core.getAsInt() / Byte.SIZE, (byte) (1 << core.getAsInt() % Byte.SIZE));
            return (int) Calls.SET.invokeExact(0, (long) SET_BYTES, set) == 0;
        } catch (Throwable e) {
            throw CLibrary.failed(e);
        }
    }
}
