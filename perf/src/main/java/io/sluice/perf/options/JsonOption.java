package io.sluice.perf.options;

import io.sluice.perf.report.JsonReport;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.OutputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The file for programs. */
public final class JsonOption {
    private final Machine machine = Machine.current();

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures as one JSON object.")
    private Path json;

    /** Where and when the command was started. */
    public Machine machine() {
        return machine;
    }

    /** Refuses a file that cannot be written. */
    public void check() {
        if (json != null) {
            OutputFile.check("--json", json);
        }
    }

    /**
     * Writes the file, if it is wanted.
     *
     * @param command what was run
     * @param rows the figures
     * @param recommendations drawn from them
     * @throws IOException if that fails
     */
    public void write(CommandSpec command, List<?> rows, List<String> recommendations) throws IOException {
        if (json != null) {
            new JsonReport(commandLine(command), machine, rows, recommendations).write(json);
        }
    }

    /** The command line that was given. */
    static String commandLine(CommandSpec command) {
        // The arguments are those of the top command: they begin with the name of this one.
        List<String> words = command.commandLine().getParseResult().originalArgs();
        return command.root().name() + " " + String.join(" ", words);
    }
}
