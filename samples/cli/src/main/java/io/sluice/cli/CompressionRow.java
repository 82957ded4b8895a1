package io.sluice.cli;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.cli.launch.NodeEvent.ServerDone;
import io.sluice.cli.launch.NodeEvent.WorkerDone;
import io.sluice.codecs.api.CompressionReport;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one compressor did to one class of frames, summed over the nodes of a job. A frame counts once, however many
 * workers it was broadcast to.
 *
 * @param frameClass block format and type of values
 * @param compressor its name
 * @param framesTried blocks it was run on, probes of the gate included
 * @param framesCompressed frames sent with what it made
 * @param bytesIn bytes of the blocks tried
 * @param bytesOut bytes of the same blocks after it
 * @param bytesSaved bytes that the frames sent are shorter by
 * @param encodeSeconds time it ran
 * @param senders nodes whose verdict was for it at the end
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record CompressionRow(
        String frameClass,
        String compressor,
        long framesTried,
        long framesCompressed,
        long bytesIn,
        long bytesOut,
        long bytesSaved,
        double encodeSeconds,
        int senders) {

    static List<CompressionRow> of(List<WorkerDone> workers, List<ServerDone> servers) {
        Stream<CompressionReport> reports = Stream.concat(
                workers.stream().map(WorkerDone::compression), servers.stream().map(ServerDone::compression));
        return CompressionReport.sum(reports.toList()).rows().stream()
                .map(CompressionRow::of)
                .toList();
    }

    private static CompressionRow of(CompressionReport.Row row) {
        return new CompressionRow(
                row.frameClass(),
                row.compressor(),
                row.framesTried(),
                row.framesCompressed(),
                row.bytesIn(),
                row.bytesOut(),
                row.bytesSaved(),
                row.encodeNs() / 1e9,
                row.senders());
    }
}
