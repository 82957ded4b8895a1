package io.sluice.cli;

import picocli.CommandLine.Command;

/** Runs one worker; its subcommands are the workloads. */
@Command(
        name = "worker",
        description = "Runs one worker of a cluster.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "WORKLOAD")
final class WorkerCommand {}
