package io.sluice.perf.training;

import picocli.CommandLine.Command;

/** Records updates for measurements; its subcommands are the trainers. */
@Command(
        name = "record",
        description = "Records the updates of a training run, for --data of the other commands.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "MODEL",
        subcommands = {RecordDenseCommand.class, RecordEmbeddingCommand.class})
public final class RecordCommand {}
