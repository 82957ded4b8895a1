package io.sluice.cli;

import picocli.CommandLine.Command;

/** Runs one worker; its subcommands are what it can train. */
@Command(
        name = "worker",
        description = "Runs one worker of a cluster.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "WORKLOAD",
        subcommands = WorkerLrCommand.class)
final class WorkerCommand {}
