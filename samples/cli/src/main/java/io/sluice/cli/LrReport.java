package io.sluice.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.cli.launch.NodeEvent.ServerDone;
import io.sluice.cli.launch.NodeEvent.WorkerDone;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.LostWorker;
import io.sluice.consistency.terms.Protocol;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.lr.LrSettings;
import io.sluice.samples.lr.Traffic;
import java.util.List;

/**
 * The result of a training job; {@code --json} writes it as one flat object.
 *
 * @param job job as requested
 * @param outcome outcome of the job
 * @param volume bytes and frames that the job moved
 * @param compression effect of compression over all nodes
 */
record LrReport(
        @JsonUnwrapped Job job,
        @JsonUnwrapped Outcome outcome,
        @JsonUnwrapped Volume volume,
        List<CompressionRow> compression) {

    /**
     * The job as requested, slices in elements. Filter (its word), delta (0 where there is none) and policy (all of the
     * filter's specification) are those in force: push-pull filters nothing. The link rate is in bits per second.
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Job(
            String workload,
            String dataset,
            int features,
            int workers,
            int servers,
            String consistency,
            String protocol,
            String filter,
            double delta,
            String policy,
            String values,
            String compressor,
            long linkRate,
            String transport,
            String placement,
            int slice,
            int clocks,
            int batches,
            int batch,
            double learningRate,
            long seed) {

        static Job of(Dataset data, LrSettings settings, ClusterSettings cluster) {
            boolean filters = cluster.protocol() != Protocol.PUSH_PULL;
            String policy = filters ? cluster.filter() : "none";
            return new Job(
                    "lr",
                    data.name(),
                    data.features(),
                    cluster.workers(),
                    cluster.servers(),
                    cluster.consistency(),
                    cluster.protocol().configName(),
                    FilterOption.word(policy),
                    FilterOption.delta(policy),
                    policy,
                    filters ? cluster.values().configName() : "f32",
                    cluster.compressor().configName(),
                    cluster.linkRate(),
                    cluster.transport().configName(),
                    cluster.placement().configName(),
                    cluster.sliceElements(),
                    settings.clocks(),
                    settings.batches(),
                    settings.batch(),
                    settings.learningRate(),
                    settings.seed());
        }
    }

    /**
     * The outcome of a job.
     *
     * @param finalLoss mean log-loss over all training examples
     * @param testAccuracy share of held-out examples classified correctly
     * @param firstClockSeconds seconds from the start of the command to the first iteration that a worker
     *                          reported
     * @param seconds seconds from the first iteration to the last update applied, of the slowest worker
     * @param computeSeconds part of the seconds in the trainer, mean over workers
     * @param pushSeconds part of the seconds for filtering, framing and sending, mean over workers
     * @param waitSeconds part of the seconds for waiting for parameters or for room to send, mean over workers
     * @param residualMaxAbs largest magnitude of a residual at a worker or server
     * @param lastThreshold threshold of the last clock, which bounds the residual
     * @param workersFinished workers that trained to the end
     * @param workersLost the lost workers without which the job continued, with their last clock at the first server
     * @param nodesStartedAgain dead nodes that were restarted while the others waited
     * @param jobStartedAgain number of restarts of all nodes together
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Outcome(
            double finalLoss,
            double testAccuracy,
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
            List<LostWorker> workersLost,
            int nodesStartedAgain,
            int jobStartedAgain) {

        /** Whether some figures exclude the work of processes that were restarted. */
        boolean wasStartedAgain() {
            return nodesStartedAgain + jobStartedAgain > 0;
        }

        static Outcome of(TrainProgress progress, Relaunches.Total again) {
            List<WorkerDone> workers = progress.workers();
            List<ServerDone> servers = progress.servers();
            WorkerDone first = workers.stream()
                    .filter(worker -> !Double.isNaN(worker.loss()))
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
                    first.loss(),
                    first.accuracy(),
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
                    again.jobs());
        }
    }

    /**
     * The traffic of the job, and the calculated traffic of the two protocols with which it is compared. Bytes are
     * those in the Aeron logs, headers and alignment included; broadcast bytes and frames count once for each worker
     * that received them.
     *
     * @param bytesBroadcast bytes broadcast by servers themselves
     * @param bytesRelayed bytes of the same broadcasts that workers forwarded to others
     * @param bytesDecoded payloads of broadcasts that trainers decoded to apply them
     * @param bytesDecodedByRelays payloads that relays decoded to forward them: 0
     * @param framesBroadcast frames broadcast by servers themselves
     * @param framesEarly frames in both directions that were sent before their clock ended
     * @param denseBytes bytes of push-pull of dense f32 for the same clocks, in both directions
     * @param exactBytes bytes of the nonzero updates as f32 with plain indices, in both directions: what
     *     {@code --filter none} would move if it did not pack the gaps
     * @param keptFraction share of the elements offered to the workers' filters that was sent
     */
    @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
    record Volume(
            long bytesPushed,
            long bytesBroadcast,
            long bytesRelayed,
            long bytesDecoded,
            long bytesDecodedByRelays,
            long framesPushed,
            long framesBroadcast,
            long framesEarly,
            long denseBytes,
            long exactBytes,
            double keptFraction) {

        static Volume of(List<WorkerDone> workers, List<ServerDone> servers, Traffic traffic) {
            long offered =
                    workers.stream().mapToLong(WorkerDone::elementsOffered).sum();
            long kept = workers.stream().mapToLong(WorkerDone::elementsKept).sum();
            return new Volume(
                    workers.stream().mapToLong(WorkerDone::bytesPushed).sum(),
                    servers.stream().mapToLong(ServerDone::bytesBroadcast).sum(),
                    workers.stream().mapToLong(WorkerDone::bytesRelayed).sum(),
                    workers.stream().mapToLong(WorkerDone::bytesDecoded).sum(),
                    workers.stream().mapToLong(WorkerDone::bytesDecodedByRelay).sum(),
                    workers.stream().mapToLong(WorkerDone::framesPushed).sum(),
                    servers.stream().mapToLong(ServerDone::framesBroadcast).sum(),
                    workers.stream().mapToLong(WorkerDone::framesEarly).sum()
                            + servers.stream()
                                    .mapToLong(ServerDone::framesEarly)
                                    .sum(),
                    traffic.dense(),
                    traffic.exact(),
                    (double) kept / offered);
        }

        long bytes() {
            return bytesPushed + bytesBroadcast + bytesRelayed;
        }
    }
}
