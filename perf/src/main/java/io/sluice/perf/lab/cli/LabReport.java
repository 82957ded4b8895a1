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
 * The JSON report of a run.
 *
 * @param command the command line of the lab
 * @param machine machine that it ran on
 * @param seconds seconds from the start of the job to its end
 * @param events changes during the job, a line each
 * @param commands commands on the hosts
 * @param links traffic of all links
 */
record LabReport(
        String command,
        Machine machine,
        double seconds,
        List<String> events,
        List<CommandEnd> commands,
        List<LinkTraffic> links) {
    /**
     * The end of a command on a host.
     *
     * @param host its number
     * @param command command with all placeholders replaced
     * @param exitCode exit code of the command; null if it was ended with the lab
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record CommandEnd(int host, String command, Integer exitCode) {}

    void write(Path file) throws IOException {
        OutputFile.writeJson(file, this);
    }
}
