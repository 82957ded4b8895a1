package io.sluice.consistency.worker;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Runs {@link AllocationTest} with the optimizing compiler and vectors, as nodes do. */
@Timeout(240)
@Isolated("needs what HotSpot compiles by a certain batch")
class CompiledAllocationTest {
    /** Batches after which HotSpot has compiled all with C2. */
    private static final int COMPILED_BY = 300;

    @Tag("slow")
    @Test
    void anIterationAllocatesNothing() throws IOException, InterruptedException {
        requireNothing("ipc none update bsp 1 fifo dvf:1 none 256 flat");
    }

    @Tag("trial")
    @Test
    void relayingAllocatesNothing() throws IOException, InterruptedException {
        requireNothing("udp none update bsp 1 fifo dvf:1 none 4096 stripes");
    }

    private static void requireNothing(String terms) throws IOException, InterruptedException {
        AllocationTest.requireNothing(terms.split(" "), COMPILED_BY);
    }
}
