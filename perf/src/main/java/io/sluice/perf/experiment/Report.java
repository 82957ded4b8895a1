package io.sluice.perf.experiment;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.OutputFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What an experiment has shown, for programs.
 *
 * @param command         the command line that made it
 * @param scenario        what was measured
 * @param parameters      all of them, with their defaults: rates, packets, rounds
 * @param conditions      what parameters do not say: of links, for instance
 * @param machine         where, and its load before
 * @param loadAfter       its load when this was written
 * @param turns           that count so far; of all that were asked for only if none was interrupted
 * @param rows            the figures
 * @param recommendations sentences drawn from them
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record Report(
        String command,
        String scenario,
        Map<String, String> parameters,
        List<String> conditions,
        Machine machine,
        double loadAfter,
        int turns,
        List<Row> rows,
        List<String> recommendations) {
    void write(Path file) throws IOException {
        OutputFile.writeJson(file, this);
    }

    static Report read(Path file) throws IOException {
        return new ObjectMapper()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .readValue(file.toFile(), Report.class);
    }
}
