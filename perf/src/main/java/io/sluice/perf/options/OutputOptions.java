package io.sluice.perf.options;

import io.sluice.perf.report.Machine;
import io.sluice.perf.report.Plot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Where the figures go besides the screen. */
public final class OutputOptions {
    @Mixin
    private JsonOption json;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "Draw them, as .png or .svg: FILE gets -size, -speed or the like before its ending.")
    private Path plot;

    /** Where and when the command was started. */
    public Machine machine() {
        return json.machine();
    }

    /** The file to draw to, or {@code null}. */
    public Path plot() {
        return plot;
    }

    /** Refuses files that cannot be written. */
    public void check() {
        json.check();
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
    public void writeJson(CommandSpec command, List<?> rows, List<String> recommendations) throws IOException {
        json.write(command, rows, recommendations);
    }

    /** The command line that was given. */
    public String commandLine(CommandSpec command) {
        return JsonOption.commandLine(command);
    }
}
