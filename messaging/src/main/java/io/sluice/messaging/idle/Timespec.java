package io.sluice.messaging.idle;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/** A time as system calls take it: seconds and nanoseconds in native memory. */
final class Timespec {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final MemorySegment words = Arena.ofAuto().allocate(2 * JAVA_LONG.byteSize(), JAVA_LONG.byteSize());

    void set(long ns) {
        words.set(JAVA_LONG, 0, ns / SECOND_NS);
        words.set(JAVA_LONG, JAVA_LONG.byteSize(), ns % SECOND_NS);
    }

    long address() {
        return words.address();
    }
}
