package io.sluice.samples;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.FilterKind;
import io.sluice.consistency.membership.Protocol;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.launch.NodeEvent;
import io.sluice.samples.lr.LrSettings;
import io.sluice.samples.lr.Traffic;
import java.io.PrintWriter;
import java.util.List;

/**
 * The result of a training job, as {@code --json} writes it. Bytes are those in the Aeron logs, headers and alignment
 * included; broadcast bytes and frames count once for each worker that received them.
 *
 * @param denseBytes what push-pull of dense f32 moves for the same clocks, both ways
 * @param exactBytes what the updates that are not zero take, both ways: {@code --filter none} with no compressor
 * @param keptFraction share of the elements offered to the workers' filters that was sent
 * @param residualMaxAbs largest magnitude that a worker or server still keeps at home
 * @param lastThreshold threshold of the last clock; the residual's bound
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record LrReport(
        String workload,
        String dataset,
        int features,
        int workers,
        int servers,
        String consistency,
        String protocol,
        String filter,
        double delta,
        String compressor,
        String transport,
        String placement,
        int clocks,
        int batch,
        double learningRate,
        long seed,
        double finalLoss,
        double testAccuracy,
        double seconds,
        double computeSeconds,
        double waitSeconds,
        long bytesPushed,
        long bytesBroadcast,
        long framesPushed,
        long framesBroadcast,
        long denseBytes,
        long exactBytes,
        double keptFraction,
        boolean replicasIdentical,
        String replicaHash,
        long maxStaleness,
        float residualMaxAbs,
        float lastThreshold,
        long framesRejected,
        String kernels) {

    static LrReport of(
            Dataset data, LrSettings settings, ClusterSettings cluster, Traffic traffic, TrainProgress progress) {
        List<NodeEvent.WorkerDone> workers = progress.workers();
        List<NodeEvent.ServerDone> servers = progress.servers();
        NodeEvent.WorkerDone first = workers.getFirst();
        double residual = Math.max(
                workers.stream().mapToDouble(NodeEvent.WorkerDone::residualMaxAbs).max().orElse(0),
                servers.stream().mapToDouble(NodeEvent.ServerDone::residualMaxAbs).max().orElse(0));
        long offered = workers.stream().mapToLong(NodeEvent.WorkerDone::elementsOffered).sum();
        long kept = workers.stream().mapToLong(NodeEvent.WorkerDone::elementsKept).sum();
        boolean filtered = cluster.protocol() == Protocol.UPDATE;
        return new LrReport(
                "lr",
                data.name(),
                data.features(),
                cluster.workers(),
                cluster.servers(),
                cluster.consistency(),
                cluster.protocol().word(),
                filtered ? cluster.filter().word() : FilterKind.NONE.word(),
                filtered && cluster.filter() == FilterKind.DVF ? cluster.delta() : 0,
                cluster.compressor(),
                cluster.transport().word(),
                cluster.placement().word(),
                settings.clocks(),
                settings.batch(),
                settings.learningRate(),
                settings.seed(),
                first.loss(),
                first.accuracy(),
                workers.stream().mapToDouble(NodeEvent.WorkerDone::seconds).max().orElse(0),
                workers.stream().mapToDouble(NodeEvent.WorkerDone::computeSeconds).average().orElse(0),
                workers.stream().mapToDouble(NodeEvent.WorkerDone::waitSeconds).average().orElse(0),
                workers.stream().mapToLong(NodeEvent.WorkerDone::bytesPushed).sum(),
                servers.stream().mapToLong(NodeEvent.ServerDone::bytesBroadcast).sum(),
                workers.stream().mapToLong(NodeEvent.WorkerDone::framesPushed).sum(),
                servers.stream().mapToLong(NodeEvent.ServerDone::framesBroadcast).sum(),
                traffic.dense(),
                traffic.exact(),
                (double) kept / offered,
                workers.stream().map(NodeEvent.WorkerDone::replicaHash).distinct().count() == 1,
                first.replicaHash(),
                workers.stream().mapToLong(NodeEvent.WorkerDone::maxStaleness).max().orElse(0),
                (float) residual,
                first.lastThreshold(),
                workers.stream().mapToLong(NodeEvent.WorkerDone::framesRejected).sum()
                        + servers.stream().mapToLong(NodeEvent.ServerDone::framesRejected).sum(),
                first.kernels());
    }

    /** Prints the report for people. */
    void print(PrintWriter out) {
        long bytes = bytesPushed + bytesBroadcast;
        out.printf("%n%s, %,d features: %d workers, %d servers, %s over %s%n", dataset, features, workers, servers,
                consistency, transport);
        out.printf("  loss %.4f, held-out accuracy %.2f %% after %d clocks of %d x %d examples%n", finalLoss,
                100 * testAccuracy, clocks, workers, batch);
        out.printf("  %.1f s: a worker computes %.1f s and waits %.1f s on average%n", seconds, computeSeconds,
                waitSeconds);
        out.printf("%n  %-44s %14s %12s%n", "bytes moved, pushed and broadcast", "bytes", "");
        out.printf("  %-44s %,14d %12s%n", "push-pull of dense f32 (reckoned)", denseBytes, "1");
        out.printf("  %-44s %,14d %12s%n", "updates that are not zero (reckoned)", exactBytes,
                fraction(exactBytes));
        out.printf("  %-44s %,14d %12s%n", "this run: " + how(), bytes, fraction(bytes));
        out.printf("    of which pushed %,d in %,d frames, broadcast %,d in %,d%n", bytesPushed, framesPushed,
                bytesBroadcast, framesBroadcast);
        out.printf("%n  kept %.3f %% of the elements; largest residual %.4g, last threshold %.4g%n",
                100 * keptFraction, residualMaxAbs, lastThreshold);
        out.printf("  staleness at most %d, %d frames rejected, %s kernels%n", maxStaleness, framesRejected, kernels);
        out.printf("  replicas %s: sha-256 %s%n", replicasIdentical ? "identical" : "DIFFER", replicaHash);
        out.flush();
    }

    private String how() {
        String compressed = "none".equals(compressor) ? "" : ", " + compressor;
        return Protocol.UPDATE.word().equals(protocol)
                ? "filter " + filter + (delta > 0 ? ", delta " + delta : "") + compressed
                : protocol + compressed;
    }

    private String fraction(long bytes) {
        return "1/%.1f".formatted((double) denseBytes / bytes);
    }
}
