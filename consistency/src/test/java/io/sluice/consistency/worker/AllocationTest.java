package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.ChildNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Once compiled, an iteration allocates nothing in the trainer's calls, in relays or in servers. */
@Isolated("the probe exchanges frames one after another: beside other tests it waits for a processor each time")
@Timeout(240)
class AllocationTest {
    /** Batches in which HotSpot compiles the iteration with C1. */
    private static final int WARM_UP = 5;

    private static final int MEASURED = 4;

    @Test
    void anIterationAllocatesNothing() throws IOException, InterruptedException {
        requireNothing("ipc", "none", "update", "bsp", "1", "fifo", "dvf:1", "none", "256", "flat");
    }

    @Tag("slow")
    @Test
    void noMediumCompressorOrProtocolMakesGarbage() throws IOException, InterruptedException {
        requireNothing("ipc", "lz4", "push-pull", "bsp", "1", "fifo", "dvf:1", "none", "256", "flat");
    }

    @Tag("trial")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "udp none update bsp 1 fifo dvf:1 none 256 flat",
                "udp lz4 update bsp 1 fifo dvf:1 none 256 flat",
                "ipc lz4 update ssp:2 1 fifo dvf:1 none 256 flat",
                "udp auto update bsp 1 fifo dvf:1 none 256 flat",
                "ipc none push-pull bsp 1 fifo dvf:1 none 256 flat",
                "ipc zstd update bsp 1 fifo dvf:1 none 256 flat",
                "udp none update bsp 1 layer budget:auto 1gbit 8192 flat",
                "udp none update bsp 1 fifo dvf:1 none 4096 chain",
                "ipc none peer bsp 1 fifo none none 4096 flat"
            })
    void norDoTheOthers(String terms) throws IOException, InterruptedException {
        requireNothing(terms.split(" "));
    }

    @Test
    @Tag("slow")
    void filteringInTwoLanesAllocatesNothing() throws IOException, InterruptedException {
        requireNothing("ipc", "none", "update", "bsp", "2", "fifo", "dvf:1", "none", "256", "flat");
    }

    @Test
    @Tag("slow")
    void anOrderAndASendingThreadAllocateNothing() throws IOException, InterruptedException {
        requireNothing("ipc", "none", "update", "ssp:2", "1", "layer,magnitude", "dvf:1", "none", "256", "flat");
    }

    @Test
    @Tag("trial")
    void readingOwnUpdatesAllocatesNothing() throws IOException, InterruptedException {
        requireNothing("ipc", "none", "update", "tap", "1", "fifo", "dvf:1", "none", "256", "flat");
    }

    /** Observing the link, its window and budget, and passing the rate to filters allocate nothing either. */
    @Test
    @Tag("trial")
    void measuringAllocatesNothing() throws IOException, InterruptedException {
        String filter = "adaptive:0.5,1;min=1mbit";
        // Few frames, because each waits for the driver.
        requireNothing("udp", "none", "update", "bsp", "1", "layer", filter, "1gbit", "8192", "flat");
    }

    @Test
    @Tag("trial")
    void partsOfSlicesAllocateNothing() throws IOException, InterruptedException {
        requireNothing("ipc", "none", "managed", "bsp", "1", "magnitude", "dvf:1", "1gbit", "256", "flat");
    }

    /** Two workers send each other their vectors, not always, and their replicas. */
    @Test
    @Tag("slow")
    void sendingToPeersAllocatesNothing() throws IOException, InterruptedException {
        requireNothing("udp", "none", "peer", "bsp", "1", "fifo", "none", "none", "4096", "flat");
    }

    /** One of two workers relays to the other, and the server retains sent frames until both have them. */
    @Test
    @Tag("slow")
    void relayingAllocatesNothing() throws IOException, InterruptedException {
        requireNothing("udp", "none", "update", "bsp", "1", "fifo", "dvf:1", "none", "4096", "stripes");
    }

    /**
     * Requires that every batch after those of warm-up allocates nothing. In this JVM neither a background compiler nor
     * uncompiled vectors allocate, so any allocation is that of the code.
     */
    private static void requireNothing(String... terms) throws IOException, InterruptedException {
        requireNothing(terms, WARM_UP + MEASURED, "-XX:TieredStopAtLevel=1", "-Dsluice.kernels=scalar");
    }

    static void requireNothing(String[] terms, int batches, String... options)
            throws IOException, InterruptedException {
        String[] arguments = Arrays.copyOf(terms, terms.length + 1);
        arguments[terms.length] = String.valueOf(batches);
        List<String> command = ChildNode.command(AllocationProbe.class, arguments);
        command.addAll(1, List.of(options));
        Process probe = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String measured = probe.inputReader(StandardCharsets.UTF_8).readLine();
            assertTrue(probe.waitFor(60, TimeUnit.SECONDS));
            assertEquals("worker 0, server 0", measured, "bytes in the worst batch");
        } finally {
            probe.destroyForcibly();
        }
    }
}
