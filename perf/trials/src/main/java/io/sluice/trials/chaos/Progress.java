package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.membership.WorkerSetHistory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.agrona.concurrent.NanoClock;

/**
 * The progress of the workers of a job, by their reports, and the final reports of its nodes. Thread-safe; times are
 * those of its clock.
 */
final class Progress {
    private static final double NS_PER_S = 1e9;

    private final NanoClock time;
    private final Map<Integer, Long> movedNs = new HashMap<>();
    private final Map<Integer, JsonNode> workersDone = new TreeMap<>();

    /** Final reports of nodes; a place may have several, one after the other. */
    private final List<JsonNode> done = new ArrayList<>();

    private long lastNs;
    private long words;

    /** Whether any worker has reported a clock. */
    private boolean moving;

    /** Whether any worker has reported a clock since the job was last started. */
    private boolean begun;

    private boolean uncounted;
    private long longestStallNs;
    private long clock;
    private long notes;

    /**
     * Creates the progress of a job that has not begun.
     *
     * @param time monotonic
     */
    Progress(NanoClock time) {
        this.time = time;
    }

    /** Processes a report from a node. */
    synchronized void accept(JsonNode event) {
        switch (event.path("event").asText()) {
            case "clock" ->
                onClock(event.path("worker").asInt(), event.path("clock").asLong());
            case "note" -> notes++;
            case "worker-done" -> {
                onWord();
                workersDone.put(event.path("worker").asInt(), event);
                done.add(event);
            }
            case "server-done" -> done.add(event);
            default -> {} // the line is not a report of the trainer
        }
    }

    private void onClock(int worker, long reached) {
        onWord();
        clock = reached;
        movedNs.put(worker, lastNs);
    }

    private void onWord() {
        long nowNs = time.nanoTime();
        longestStallNs = Math.max(longestStallNs, stallNs(nowNs));
        lastNs = nowNs;
        moving = true;
        begun = true;
        words++;
    }

    private long stallNs(long nowNs) {
        return moving ? nowNs - lastNs : 0;
    }

    /**
     * Resets the progress because all nodes are about to restart. Earlier reports are discarded, except the final
     * reports of nodes that had left before the clock to which the job returns. If a worker had left and was killed
     * before its final report, it counts as having pushed all slices at each of its clocks.
     *
     * @param kept   the worker sets up to the clock to which the job returns
     * @param slices slices of all tables
     */
    synchronized void restart(WorkerSetHistory kept, int slices) {
        begun = false;
        movedNs.clear();
        workersDone.clear();
        forget(kept);
        Map<String, Long> since = new HashMap<>();
        Map<String, Integer> leaves = new HashMap<>();
        for (WorkerSetChange change : kept.changes()) {
            String role = change.role().configName();
            String node = role + change.index();
            if (change.joins()) {
                since.put(node, change.clock());
            } else if (reports(role, change.index()) < leaves.merge(node, 1, Integer::sum)) {
                uncounted |= change.isOfServer();
                long clocks = change.clock() - since.getOrDefault(node, 1L);
                done.add(JsonNodeFactory.instance
                        .objectNode()
                        .put(role, change.index())
                        .put("framesPushed", change.isOfServer() ? 0 : clocks * slices));
            }
        }
    }

    private long reports(String role, int index) {
        return done.stream().filter(said -> said.path(role).asInt(-1) == index).count();
    }

    /** Whether a server that had left was killed before its final report. */
    synchronized boolean isUncounted() {
        return uncounted;
    }

    private void forget(WorkerSetHistory kept) {
        Map<String, Integer> ends = new HashMap<>();
        done.removeIf(said -> {
            Role role = said.has("worker") ? Role.WORKER : Role.SERVER;
            int index = said.path(role.configName()).asInt();
            long gone = kept.changes().stream()
                    .filter(change -> change.role() == role && change.index() == index && !change.joins())
                    .count();
            return ends.merge(role.configName() + index, 1, Integer::sum) > gone;
        });
    }

    /** Resets the progress of a worker because it, or another worker in its place, is about to start. */
    synchronized void restart(int worker) {
        workersDone.remove(worker);
        movedNs.remove(worker);
    }

    /** Whether a worker has reported a clock since a time, or has ended. */
    synchronized boolean hasMovedSince(int worker, long timeNs) {
        Long moved = movedNs.get(worker);
        return workersDone.containsKey(worker) || moved != null && moved - timeNs > 0;
    }

    /** The clock that a worker reported last. */
    synchronized long clock() {
        return clock;
    }

    /** Number of notes of nodes, such as that they reject frames. */
    synchronized long notes() {
        return notes;
    }

    /** Number of reports of clocks and ends of workers. */
    synchronized long words() {
        return words;
    }

    /** Whether any worker has reported a clock since all nodes were started, which means that all have joined. */
    synchronized boolean hasBegun() {
        return begun;
    }

    /** Longest time without a report from any worker, the time since the last one included, in seconds. */
    synchronized double longestStallSeconds() {
        return Math.max(longestStallNs, stallNs(time.nanoTime())) / NS_PER_S;
    }

    /** The hash that some workers report; a list if they differ; "none" for a worker without a final report. */
    synchronized String replicaHash(List<Integer> workers) {
        return workers.stream()
                .map(worker -> workersDone.containsKey(worker)
                        ? workersDone.get(worker).path("replicaHash").asText()
                        : "none")
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** The frames that workers have pushed and servers have accepted, by their final reports. */
    synchronized Counts counts() {
        return new Counts(counts("worker", "framesPushed"), counts("server", "framesTaken"));
    }

    private Map<Integer, Long> counts(String role, String field) {
        Map<Integer, Long> counts = new HashMap<>();
        done.stream()
                .filter(said -> said.has(role))
                .forEach(said ->
                        counts.merge(said.path(role).asInt(), said.path(field).asLong(), Long::sum));
        return counts;
    }

    /** Whether a worker has sent its final report. */
    synchronized boolean isDone(int worker) {
        return workersDone.containsKey(worker);
    }
}
