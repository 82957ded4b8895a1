package io.sluice.cli;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.cli.launch.NodeEvent.ServerDone;
import io.sluice.cli.launch.NodeEvent.WorkerDone;
import io.sluice.codecs.api.CompressionReport;
import java.util.List;
import java.util.stream.Stream;

/**
 * The effect of one compressor on one class of frames, summed over the nodes of a job. A broadcast frame counts once
 * for all workers.
 *
 * @param frameClass block format and value type
 * @param compressor name of the compressor
 * @param framesTried blocks that the compressor processed
 * @param framesCompressed frames sent with a compressed block
 * @param bytesIn bytes of the blocks tried, before compression
 * @param bytesOut bytes of the same blocks after compression
 * @param bytesSaved bytes by which the sent frames are shorter
 * @param encodeSeconds time that compression took
 * @param senders nodes that used the compressor at the end
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
