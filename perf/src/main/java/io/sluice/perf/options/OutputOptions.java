package io.sluice.perf.options;

import io.sluice.perf.report.JsonReport;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.OutputFile;
import io.sluice.perf.report.Plot;
import io.sluice.perf.report.Row;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Where the figures go besides the screen. */
public final class OutputOptions {
    private final Machine machine = Machine.current();

    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures as one JSON object.")
    private Path json;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description =
                    "Draw them over the kept share, as .png or .svg: FILE gets -size and the like before its ending.")
    private Path plot;

    /** Where and when the command was started. */
    public Machine machine() {
        return machine;
    }

    /** The file to draw to, or {@code null}. */
    public Path plot() {
        return plot;
    }

    /** Refuses files that cannot be written. */
    public void check() {
        if (json != null) {
            OutputFile.check("--json", json);
        }
        if (plot != null) {
            Plot.check("--plot", plot);
        }
    }

    /**
     * Writes the JSON, if it is wanted.
     *
     * @param command what was run
     * @param rows the figures
     * @param recommendations drawn from them
     * @throws IOException if that fails
     */
    public void writeJson(CommandSpec command, List<Row> rows, List<String> recommendations) throws IOException {
        if (json != null) {
            // The arguments are those of the top command: they begin with the name of this one.
            List<String> words = command.commandLine().getParseResult().originalArgs();
            String line = command.root().name() + " " + String.join(" ", words);
            new JsonReport(line, machine, rows, recommendations).write(json);
        }
    }
}
