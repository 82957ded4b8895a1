package io.sluice.cli;

import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import picocli.CommandLine.Option;

/** How a media driver batches UDP. */
final class UdpBatchOption {
    @Option(
            names = "--udp-batch",
            paramLabel = "RUNG",
            description =
                    "How datagrams are batched: gso in trains that the kernel segments, mmsg several with a system"
                            + " call, off one by one, auto as well as this machine can.")
    private String rung;

    /** What is not given here is as the context has it, by its property or default. */
    void applyTo(Driver.Context driver) {
        if (rung != null) {
            driver.udpBatch(UdpBatch.parse("--udp-batch", rung));
        }
    }
}
