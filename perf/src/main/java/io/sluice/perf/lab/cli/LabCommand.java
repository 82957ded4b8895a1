package io.sluice.perf.lab.cli;

import picocli.CommandLine.Command;

/** Networks of hosts inside this machine. */
@Command(
        name = "lab",
        description = "Runs commands on hosts of a network inside this machine. Linux and root only.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        subcommands = {LabRunCommand.class, LabShowCommand.class, LabCleanCommand.class},
        footer = {"", "Begin with:   sluice lab run --hosts 3 --rate 100mbit -- ping -c 3 {address:0}"})
public final class LabCommand {}
