package io.sluice.perf.options;

import picocli.CommandLine.Option;

/** The links of a lab whose hosts are nodes of a cluster. */
public final class LabLinks {
    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "100mbit",
            description = "Of each host's link (${DEFAULT-VALUE}, which two cores carry with four workers).")
    private String rate;

    /**
     * The rate of each.
     *
     * @return bits per second
     * @throws IllegalArgumentException if it is no rate or out of range
     */
    public long rate() {
        return LabRate.parse("--rate", rate);
    }

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "1500",
            description = "Longest packet of those links (${DEFAULT-VALUE}); with 9000 the cores carry more.")
    private int mtu;

    /**
     * The longest packet.
     *
     * @return bytes, as given: whoever builds the links checks it
     */
    public int mtu() {
        return mtu;
    }
}
