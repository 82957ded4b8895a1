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
 * The result of an experiment, for programs.
 *
 * @param parameters      all parameters, including defaults: rates, packets, rounds
 * @param conditions      conditions that are not parameters, for instance of links
 * @param othersLoadAfter processors that other processes used after the last turn, with those that the measurement
 *     itself started and that still run; {@code null} in a report that precedes the last turn
 * @param turns           number of turns measured so far; fewer than requested if the run was interrupted
 * @param recommendations conclusions from the figures, as sentences
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record Report(
        String command,
        String scenario,
        Map<String, String> parameters,
        List<String> conditions,
        Machine machine,
        Double othersLoadAfter,
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
