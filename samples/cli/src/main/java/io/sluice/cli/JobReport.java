package io.sluice.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.launch.NodeEvent.ServerDone;
import io.sluice.cli.launch.NodeEvent.WorkerDone;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.TableTerms;
import java.util.List;

/**
 * The result of a training job; {@code --json} writes it as one flat object.
 *
 * @param workload name of the workload
 * @param dataset name of the data set
 * @param size size of the data and the model
 * @param terms terms of the cluster
 * @param training settings of the training
 * @param quality quality of the model
 * @param remark a further remark, in one line; empty for none
 * @param outcome outcome of the job
 * @param volume bytes and frames that the job moved
 * @param baselines calculated traffic of other ways to train, with which the volume is compared
 * @param iterations iterations of each worker, from the beginning of the training
 * @param elementsOffered elements offered to the workers' filters
 * @param keptFraction share of sent elements among those offered to the workers' filters
 * @param compression effect of compression over all nodes
 */
record JobReport(
        String workload,
        String dataset,
        Workload.Part size,
        Terms terms,
        Workload.Part training,
        Workload.Part quality,
        String remark,
        Outcome outcome,
        Volume volume,
        List<Workload.Baseline> baselines,
        int iterations,
        long elementsOffered,
        double keptFraction,
        List<CompressionRow> compression) {

    static JobReport of(
            String name,
            Workload workload,
            ClusterSettings cluster,
            TrainProgress progress,
            Evaluations evaluations,
            Relaunches.Total again,
            boolean restored) {
        List<WorkerDone> workers = progress.workers();
        long offered = workers.stream().mapToLong(WorkerDone::elementsOffered).sum();
        long kept = workers.stream().mapToLong(WorkerDone::elementsKept).sum();
        return new JobReport(
                name,
                workload.data().name(),
                workload.size(),
                Terms.of(cluster),
                workload.training(cluster),
                workload.quality(evaluations),
                workload.remark(evaluations),
                Outcome.of(progress, evaluations, again, restored),
                Volume.of(workers, progress.servers()),
                workload.baselines(cluster),
                workload.clocks(),
                offered,
                0 == offered ? 0 : (double) kept / offered,
                CompressionRow.of(workers, progress.servers()));
    }

    /** The report as JSON, for other programs. */
    ObjectNode json() {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode json = mapper.createObjectNode();
        json.put("workload", workload);
        json.put("dataset", dataset);
        for (Object part : List.of(size.fields(), terms, training.fields(), quality.fields(), outcome, volume)) {
            json.setAll((ObjectNode) mapper.valueToTree(part));
        }
        baselines.forEach(baseline -> json.put(baseline.field(), baseline.bytes()));
        json.put("iterations", iterations);
        json.put("elements_offered", elementsOffered);
        json.put("kept_fraction", keptFraction);
        json.set("compression", mapper.valueToTree(compression));
        return json;
    }

    /**
     * The terms of the cluster, slices in elements. Filter (its name), delta (0 if it has none) and policy (the
     * filter's whole specification) are those in effect: push-pull filters nothing. The link rate is in bits per
     * second. The cores are those of this host.
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Terms(
            int workers,
            int servers,
            String consistency,
            String protocol,
            String filter,
            double delta,
            String policy,
            String broadcastPolicy,
            String values,
            String compressor,
            long linkRate,
            String transport,
            String tree,
            String placement,
            String order,
            int slice,
            int cores) {

        static Terms of(ClusterSettings cluster) {
            boolean filters = cluster.protocol() != Protocol.PUSH_PULL;
            String policy = filters ? cluster.summary(TableTerms::filter) : "none";
            String others = filters ? cluster.table(TableTerms.OTHERS).filter() : "none";
            return new Terms(
                    cluster.workers(),
                    cluster.servers(),
                    cluster.consistency(),
                    cluster.protocol().configName(),
                    FilterOption.word(others),
                    FilterOption.delta(others),
                    policy,
                    filters ? cluster.summary(TableTerms::broadcastFilter) : "none",
                    filters ? cluster.summary(table -> table.values().configName()) : "f32",
                    cluster.compressor(),
                    cluster.linkRate(),
                    cluster.transport().configName(),
                    cluster.tree(),
                    cluster.placement(),
                    cluster.order(),
                    cluster.sliceElements(),
                    Runtime.getRuntime().availableProcessors());
        }
    }

    /**
     * The outcome of a job.
     *
     * @param firstClockSeconds seconds from the start of the command to the first iteration that a worker
     *                          reported
     * @param seconds seconds from the first iteration to the last update applied, of the slowest worker
     * @param computeSeconds part of the seconds in the trainer, mean over workers
     * @param pushSeconds part of the seconds for filtering, framing and sending, mean over workers
     * @param waitSeconds part of the seconds for waiting for parameters, or until a frame could be sent or queued, mean
     *                          over workers
     * @param residualMaxAbs largest magnitude of a residual at a worker or server
     * @param lastThreshold threshold of the last clock, which bounds the residual
     * @param workersFinished workers that trained to the end
     * @param workersLost the lost workers without which the job continued, with their last clock at the first server
     * @param nodesStartedAgain dead nodes that were restarted while the others waited
     * @param jobStartedAgain number of restarts of all nodes together
     * @param restored whether the training continued from a snapshot of an earlier job
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Outcome(
            double firstClockSeconds,
            double seconds,
            double computeSeconds,
            double pushSeconds,
            double waitSeconds,
            boolean replicasIdentical,
            String replicaHash,
            long maxStaleness,
            float residualMaxAbs,
            float lastThreshold,
            long framesRejected,
            String kernels,
            int workersFinished,
            List<ServerReport.Loss> workersLost,
            int nodesStartedAgain,
            int jobStartedAgain,
            boolean restored) {

        /** Whether some figures exclude the work of processes that were restarted. */
        boolean wasStartedAgain() {
            return nodesStartedAgain + jobStartedAgain > 0;
        }

        static Outcome of(TrainProgress progress, Evaluations evaluations, Relaunches.Total again, boolean restored) {
            List<WorkerDone> workers = progress.workers();
            List<ServerDone> servers = progress.servers();
            WorkerDone first = workers.stream()
                    .filter(worker -> evaluations.areBy(worker.worker()))
                    .findFirst()
                    .orElse(workers.getFirst());
            double workersResidual = workers.stream()
                    .mapToDouble(WorkerDone::residualMaxAbs)
                    .max()
                    .orElse(0);
            double serversResidual = servers.stream()
                    .mapToDouble(ServerDone::residualMaxAbs)
                    .max()
                    .orElse(0);
            return new Outcome(
                    progress.toFirstClock().toMillis() / 1e3,
                    workers.stream().mapToDouble(WorkerDone::seconds).max().orElse(0),
                    workers.stream()
                            .mapToDouble(WorkerDone::computeSeconds)
                            .average()
                            .orElse(0),
                    workers.stream()
                            .mapToDouble(WorkerDone::pushSeconds)
                            .average()
                            .orElse(0),
                    workers.stream()
                            .mapToDouble(WorkerDone::waitSeconds)
                            .average()
                            .orElse(0),
                    workers.stream().map(WorkerDone::replicaHash).distinct().count() == 1,
                    first.replicaHash(),
                    workers.stream().mapToLong(WorkerDone::maxStaleness).max().orElse(0),
                    (float) Math.max(workersResidual, serversResidual),
                    first.lastThreshold(),
                    workers.stream().mapToLong(WorkerDone::framesRejected).sum()
                            + servers.stream()
                                    .mapToLong(ServerDone::framesRejected)
                                    .sum(),
                    first.kernels(),
                    workers.size(),
                    servers.getFirst().losses(),
                    again.nodes(),
                    again.jobs(),
                    restored);
        }
    }

    /**
     * The traffic of the job. Bytes are those in the Aeron logs, headers and alignment included; broadcast bytes and
     * frames count once for each worker that received them.
     *
     * @param bytesBroadcast bytes broadcast by servers themselves
     * @param bytesPeer bytes that workers sent to each other under protocol peer
     * @param bytesRelayed bytes of the same broadcasts that workers forwarded to others
     * @param bytesDecoded payloads of broadcasts that trainers decoded to apply them
     * @param framesBroadcast frames broadcast by servers themselves
     * @param framesEarly frames in both directions that were sent before their clock ended
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Volume(
            long bytesPushed,
            long bytesBroadcast,
            long bytesPeer,
            long bytesRelayed,
            long bytesDecoded,
            long framesPushed,
            long framesBroadcast,
            long framesEarly) {

        static Volume of(List<WorkerDone> workers, List<ServerDone> servers) {
            return new Volume(
                    workers.stream().mapToLong(WorkerDone::bytesPushed).sum(),
                    servers.stream().mapToLong(ServerDone::bytesBroadcast).sum(),
                    workers.stream().mapToLong(WorkerDone::bytesPeer).sum(),
                    workers.stream().mapToLong(WorkerDone::bytesRelayed).sum(),
                    workers.stream().mapToLong(WorkerDone::bytesDecoded).sum(),
                    workers.stream().mapToLong(WorkerDone::framesPushed).sum(),
                    servers.stream().mapToLong(ServerDone::framesBroadcast).sum(),
                    workers.stream().mapToLong(WorkerDone::framesEarly).sum()
                            + servers.stream()
                                    .mapToLong(ServerDone::framesEarly)
                                    .sum());
        }

        long bytes() {
            return bytesPushed + bytesBroadcast + bytesPeer + bytesRelayed;
        }
    }
}
