package io.sluice.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options of the data and the training of one workload. All workers of a job need the same options; a worker whose
 * options differ is refused.
 */
abstract class WorkloadOptions {
    private Workload loaded;

    /** Name of the workload: the subcommand of {@code train} and {@code worker}. */
    abstract String name();

    /** A short description of the model that is trained. */
    abstract String task();

    /** The filter of a job whose options name none. */
    abstract String defaultFilter();

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException naming the option at fault
     */
    abstract void check();

    /** The same options, as arguments for nodes: those that have a value, in the order of their declaration. */
    final List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        for (OptionSpec option : CommandSpec.forAnnotatedObject(this).options()) {
            Object value = option.getValue();
            if (value != null) {
                ClusterOptions.add(
                        arguments, option.longestName(), value instanceof Path path ? path.toAbsolutePath() : value);
            }
        }
        return arguments;
    }

    /** Reads the data. */
    abstract Workload read() throws IOException;

    /**
     * The workload, whose data are read once.
     *
     * @throws IOException if a file cannot be read
     */
    final Workload load() throws IOException {
        if (loaded == null) {
            loaded = read();
        }
        return loaded;
    }

    /** Takes over the workload that other options of the same values have loaded. */
    final void share(WorkloadOptions other) {
        loaded = other.loaded;
    }
}
