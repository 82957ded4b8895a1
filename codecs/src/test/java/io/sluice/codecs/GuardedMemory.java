package io.sluice.codecs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory followed by an inaccessible page. A read beyond the end ends the process at once, in native code too. For
 * Linux; never unmapped.
 */
@SuppressWarnings("restricted")
public final class GuardedMemory {
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final Linker LINKER = Linker.nativeLinker();

    private GuardedMemory() {}

    /** A buffer, backed by a byte buffer, that ends at the guard page. */
    public static UnsafeBuffer allocate(int bytes) {
        try {
            int page = (int)
                    function("getpagesize", FunctionDescriptor.of(JAVA_INT)).invokeExact();
            long length = ((long) bytes + page - 1) / page * page;
            MemorySegment start = (MemorySegment) function(
                            "mmap",
                            FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG))
                    .invokeExact(MemorySegment.NULL, length + page, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
            MemorySegment guard = MemorySegment.ofAddress(start.address() + length);
            int result = (int) function("mprotect", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT))
                    .invokeExact(guard, (long) page, 0);
            if (start.address() == -1 || result != 0) {
                throw new IllegalStateException("no memory with a guarded page: mprotect returned " + result);
            }
            MemorySegment usable =
                    MemorySegment.ofAddress(start.address() + length - bytes).reinterpret(bytes);
            return new UnsafeBuffer(usable.asByteBuffer());
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
    }
}
