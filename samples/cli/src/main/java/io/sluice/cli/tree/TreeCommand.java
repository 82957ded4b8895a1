package io.sluice.cli.tree;

import picocli.CommandLine.Command;

/** Groups the commands about networks and broadcast trees. */
@Command(
        name = "tree",
        description = "Shows networks, and plans the trees by which broadcasts reach the workers.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {TreeShowCommand.class, TreePlanCommand.class},
        footer = {"", "Begin with:   sluice tree plan --workers 8 --servers 2"})
public final class TreeCommand {}
