package io.sluice.cli;

import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import picocli.CommandLine.Option;

/** The option for the UDP batching mode of a media driver. */
final class UdpBatchOption {
    @Option(
            names = "--udp-batch",
            paramLabel = "MODE",
            description =
                    "How datagrams are sent: gso (trains that the kernel segments), mmsg (several per system call), off"
                            + " (one by one) or auto (the best that this machine supports).")
    private String mode;

    /** Without the option the context keeps its value, from the property or the default. */
    void applyTo(Driver.Context driver) {
        if (mode != null) {
            driver.udpBatch(UdpBatch.parse("--udp-batch", mode));
        }
    }
}
