package io.sluice.perf.training;

import picocli.CommandLine.Command;

/** Records updates to measure with; its subcommands are what it can train. */
@Command(
        name = "record",
        description = "Records the updates of a training, for --data of the other commands.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "MODEL",
        subcommands = {RecordDenseCommand.class, RecordEmbeddingCommand.class})
public final class RecordCommand {}
