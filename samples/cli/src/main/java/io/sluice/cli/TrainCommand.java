package io.sluice.cli;

import picocli.CommandLine.Command;

/** Trains with a whole cluster on this host; its subcommands are the workloads. */
@Command(
        name = "train",
        description = "Trains with a whole cluster on this host: media driver, servers and workers.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "WORKLOAD")
final class TrainCommand {}
