package io.sluice.perf.lab.cli;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.perf.lab.LinkTraffic;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.OutputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What was seen of a run, for programs.
 *
 * @param command the command line of the lab
 * @param machine that it ran on
 * @param seconds from the start of the job to its end
 * @param events what was changed meanwhile, a line each
 * @param commands what ran on the hosts
 * @param links what they carried
 */
record LabReport(
        String command,
        Machine machine,
        double seconds,
        List<String> events,
        List<CommandEnd> commands,
        List<LinkTraffic> links) {
    /**
     * How a command on a host ended.
     *
     * @param host its number
     * @param command with all placeholders filled in
     * @param exitCode its own; null if it was ended with the lab
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record CommandEnd(int host, String command, Integer exitCode) {}

    void write(Path file) throws IOException {
        OutputFile.writeJson(file, this);
    }
}
