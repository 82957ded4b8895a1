package io.sluice.cli;

import io.sluice.consistency.terms.TransportKind;
import picocli.CommandLine.Option;

/** The option for artificial loss of datagrams, for commands that run a media driver. */
final class LossOption {
    @Option(
            names = "--loss",
            paramLabel = "RATE",
            defaultValue = "0",
            description = "Share of received datagrams to drop, to try the effect of loss (${DEFAULT-VALUE}).")
    private double rate;

    /**
     * Checks the option for a job whose nodes share this host.
     *
     * @throws IllegalArgumentException if the job sends no datagrams
     */
    double rate(TransportKind transport) {
        if (rate != 0 && transport == TransportKind.IPC) {
            throw new IllegalArgumentException(
                    "loss is " + rate + ", expected 0: in shared memory nothing is lost, unless --transport is udp");
        }
        return rate();
    }

    /**
     * Checks the option.
     *
     * @return the share of datagrams to drop, at least 0 and below 1
     * @throws IllegalArgumentException if it is outside this range
     */
    double rate() {
        if (!(rate >= 0 && rate < 1)) {
            throw new IllegalArgumentException("loss is " + rate + ", expected 0 or more and less than 1");
        }
        return rate;
    }
}
