package io.sluice.cli.launch;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.sluice.codecs.api.CompressionReport;
import io.sluice.consistency.server.ServerReport;
import java.util.List;
import java.util.Map;

/** Progress of a node. A process reports it to its parent as one JSON object a line. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
    @JsonSubTypes.Type(value = NodeEvent.Started.class, name = "started"),
    @JsonSubTypes.Type(value = NodeEvent.Joined.class, name = "joined"),
    @JsonSubTypes.Type(value = NodeEvent.Note.class, name = "note"),
    @JsonSubTypes.Type(value = NodeEvent.Refused.class, name = "refused"),
    @JsonSubTypes.Type(value = NodeEvent.Clock.class, name = "clock"),
    @JsonSubTypes.Type(value = NodeEvent.Evaluated.class, name = "evaluated"),
    @JsonSubTypes.Type(value = NodeEvent.WorkerDone.class, name = "worker-done"),
    @JsonSubTypes.Type(value = NodeEvent.ServerDone.class, name = "server-done")
})
public sealed interface NodeEvent {

    /**
     * The job starts a node; no node reports this event.
     *
     * @param node name of the node
     */
    record Launched(String node) implements NodeEvent {}

    /**
     * A node runs, and is about to join the cluster.
     *
     * @param node name of the node
     */
    record Started(String node) implements NodeEvent {}

    /**
     * A node has joined, as have all others: from now on the cluster detects its death.
     *
     * @param node name of the node
     */
    record Joined(String node) implements NodeEvent {}

    /**
     * A warning for the user; the job continues.
     *
     * @param node node that reports it
     * @param text one sentence
     */
    record Note(String node, String text) implements NodeEvent {}

    /**
     * A node ends because of its command or a condition of this host: the same command would fail again.
     *
     * @param reason one sentence
     */
    record Refused(String reason) implements NodeEvent {}

    /**
     * A worker has ended an iteration.
     *
     * @param worker index of the worker
     * @param clock iterations completed
     * @param loss loss of its part of the data
     * @param staleness largest staleness of its parameters so far, in clocks
     * @param bytesPushed bytes that it has pushed so far
     */
    record Clock(int worker, int clock, double loss, long staleness, long bytesPushed) implements NodeEvent {}

    /**
     * A worker has evaluated the model: the first of those that are not lost.
     *
     * @param worker index of the worker
     * @param clock clock whose updates are in the model
     * @param figures figures of the workload by name
     */
    record Evaluated(int worker, int clock, Map<String, Double> figures) implements NodeEvent {}

    /**
     * A worker has trained to the end.
     *
     * @param worker index of the worker
     * @param replicaHash fingerprint of its parameters
     * @param computeSeconds time in the trainer's own code
     * @param pushSeconds time filtering, framing and sending
     * @param waitSeconds time waiting for parameters, or until a frame could be sent or queued
     * @param seconds seconds from the start of the first iteration to the last update applied
     * @param framesPushed data frames since the training began, over all incarnations, each once
     * @param framesEarly data frames sent before their clock ended
     * @param bytesPushed bytes in the log
     * @param bytesPeer bytes sent to other workers under protocol peer
     * @param bytesRelayed bytes of broadcasts forwarded to other workers so far, once for each
     * @param bytesDecoded payloads of broadcasts that its trainer has decoded so far
     * @param elementsOffered elements passed to the filter
     * @param elementsKept elements that the filter kept
     * @param maxStaleness largest staleness of its parameters, in clocks
     * @param residualMaxAbs largest magnitude of a residual
     * @param lastThreshold threshold of the last clock
     * @param framesRejected frames dropped
     * @param kernels name of the kernels
     * @param compression effect on the frames pushed
     */
    record WorkerDone(
            int worker,
            String replicaHash,
            double computeSeconds,
            double pushSeconds,
            double waitSeconds,
            double seconds,
            long framesPushed,
            long framesEarly,
            long bytesPushed,
            long bytesPeer,
            long bytesRelayed,
            long bytesDecoded,
            long elementsOffered,
            long elementsKept,
            long maxStaleness,
            float residualMaxAbs,
            float lastThreshold,
            long framesRejected,
            String kernels,
            CompressionReport compression)
            implements NodeEvent {}

    /**
     * A server has served to the end.
     *
     * @param server index of the server
     * @param framesBroadcast data frames, once for each worker that received them
     * @param framesEarly data frames sent before their version was complete
     * @param bytesBroadcast bytes in the log, once for each worker that received them
     * @param residualMaxAbs largest magnitude of a residual
     * @param lastThreshold threshold of the last round
     * @param framesRejected frames dropped
     * @param framesTaken data frames of workers accepted since the training began, over all incarnations, each once
     * @param compression effect on the frames broadcast, each counted once
     * @param losses lost workers without which the cluster continued
     */
    record ServerDone(
            int server,
            long framesBroadcast,
            long framesEarly,
            long bytesBroadcast,
            float residualMaxAbs,
            float lastThreshold,
            long framesRejected,
            long framesTaken,
            CompressionReport compression,
            List<ServerReport.Loss> losses)
            implements NodeEvent {}
}
