package io.sluice.samples;

import io.sluice.consistency.membership.Choice;
import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.FilterKind;
import io.sluice.consistency.membership.PlacementKind;
import io.sluice.consistency.membership.Protocol;
import io.sluice.consistency.membership.TransportKind;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The terms of a cluster, as options of the command that coordinates it. */
final class ClusterOptions {
    @Option(names = "--workers", paramLabel = "N", defaultValue = "4", description = "Workers (${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--servers", paramLabel = "P", defaultValue = "2", description = "Servers (${DEFAULT-VALUE}).")
    private int servers;

    @Option(
            names = "--consistency",
            paramLabel = "RULE",
            defaultValue = "bsp",
            description = "bsp, ssp:S (workers may be S clocks ahead) or tap (nobody waits) (${DEFAULT-VALUE}).")
    private String consistency;

    @Option(
            names = "--protocol",
            paramLabel = "P",
            defaultValue = "update",
            description = "update (push and broadcast) or push-pull of dense f32, the baseline (${DEFAULT-VALUE}).")
    private String protocol;

    @Option(
            names = "--filter",
            paramLabel = "F",
            defaultValue = "dvf",
            description = "none (all that is not zero) or dvf (above the threshold) (${DEFAULT-VALUE}).")
    private String filter;

    @Option(
            names = "--delta",
            paramLabel = "D",
            defaultValue = "0.1",
            description = "Threshold of clock t is D / sqrt(t) (${DEFAULT-VALUE}).")
    private double delta;

    @Option(
            names = "--compress",
            paramLabel = "C",
            defaultValue = "none",
            description = "none, lz4 or snappy, tried on every frame (${DEFAULT-VALUE}).")
    private String compress;

    @Option(
            names = "--transport",
            paramLabel = "T",
            defaultValue = "ipc",
            description = "ipc (shared memory within a host, UDP between hosts) or udp (${DEFAULT-VALUE}).")
    private String transport;

    @Option(
            names = "--placement",
            paramLabel = "P",
            defaultValue = "uniform",
            description = "uniform, round-robin or largest-first (${DEFAULT-VALUE}).")
    private String placement;

    @Option(
            names = "--slice",
            paramLabel = "N",
            defaultValue = "16320",
            description = "Floats of a slice; 16320 is the longest whose dense frame is one 64 KiB datagram "
                    + "(${DEFAULT-VALUE}).")
    private int slice;

    @Option(
            names = "--heartbeat-ms",
            paramLabel = "MS",
            defaultValue = "250",
            description = "Between heartbeats (${DEFAULT-VALUE}).")
    private int heartbeatMs;

    @Option(
            names = "--liveness-ms",
            paramLabel = "MS",
            defaultValue = "2500",
            description = "Silence after which a node is lost (${DEFAULT-VALUE}).")
    private int livenessMs;

    /**
     * Checks the options.
     *
     * @return the terms
     * @throws IllegalArgumentException naming the option at fault
     */
    ClusterSettings settings() {
        return ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .protocol(Choice.named(Protocol.class, "--protocol", protocol))
                .consistency(consistency)
                .filter(Choice.named(FilterKind.class, "--filter", filter))
                .delta(delta)
                .compressor(compress)
                .transport(Choice.named(TransportKind.class, "--transport", transport))
                .placement(Choice.named(PlacementKind.class, "--placement", placement))
                .sliceElements(slice)
                .heartbeatMs(heartbeatMs)
                .livenessMs(livenessMs)
                .build();
    }

    /** The same options, to be handed to the child process that coordinates. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        add(arguments, "--workers", workers);
        add(arguments, "--servers", servers);
        add(arguments, "--consistency", consistency);
        add(arguments, "--protocol", protocol);
        add(arguments, "--filter", filter);
        add(arguments, "--delta", delta);
        add(arguments, "--compress", compress);
        add(arguments, "--transport", transport);
        add(arguments, "--placement", placement);
        add(arguments, "--slice", slice);
        add(arguments, "--heartbeat-ms", heartbeatMs);
        add(arguments, "--liveness-ms", livenessMs);
        return arguments;
    }

    static void add(List<String> arguments, String option, Object value) {
        arguments.add(option);
        arguments.add(String.valueOf(value));
    }
}
