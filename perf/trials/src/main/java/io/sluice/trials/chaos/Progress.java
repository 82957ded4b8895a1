package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.terms.Role;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.agrona.concurrent.NanoClock;

/**
 * How far the workers of a job are, by what they report, and what its nodes say at the end. Safe from any thread; times
 * are those of its clock.
 */
final class Progress {
    private static final double NS_PER_S = 1e9;

    private final NanoClock time;
    private final Map<Integer, Long> movedNs = new HashMap<>();
    private final Map<Integer, JsonNode> workersDone = new TreeMap<>();

    /** What nodes have said at their end, in some places one after the other. */
    private final List<JsonNode> done = new ArrayList<>();

    private long lastNs;
    private long words;

    /** Whether any worker has come on, ever. */
    private boolean moving;

    /** Whether any has in this life of the job. */
    private boolean begun;

    private boolean uncounted;
    private long longestStallNs;
    private long clock;
    private long notes;

    /**
     * Of a job that has not begun.
     *
     * @param time monotonic
     */
    Progress(NanoClock time) {
        this.time = time;
    }

    /** Takes in a report of a node. */
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
            default -> {} // not of the trainer
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
     * All nodes are about to be started anew: what they said before is not of this life, but for nodes that had left
     * before the clock to which the job goes back. A worker that was killed behind its last clock, and before it could
     * say what it has pushed, has pushed all slices at each of its clocks.
     *
     * @param back   the crews up to that clock
     * @param slices of all tables
     */
    synchronized void restart(WorkerSetHistory back, int slices) {
        begun = false;
        movedNs.clear();
        workersDone.clear();
        forget(back);
        Map<String, Long> since = new HashMap<>();
        Map<String, Integer> leaves = new HashMap<>();
        for (WorkerSetChange change : back.changes()) {
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

    /** Whether a server that had left was killed before it could say what it has taken. */
    synchronized boolean isUncounted() {
        return uncounted;
    }

    private void forget(WorkerSetHistory back) {
        Map<String, Integer> ends = new HashMap<>();
        done.removeIf(said -> {
            Role role = said.has("worker") ? Role.WORKER : Role.SERVER;
            int index = said.path(role.configName()).asInt();
            long gone = back.changes().stream()
                    .filter(change -> change.role() == role && change.index() == index && !change.joins())
                    .count();
            return ends.merge(role.configName() + index, 1, Integer::sum) > gone;
        });
    }

    /** A worker is about to be started anew, or another in its place. */
    synchronized void restart(int worker) {
        workersDone.remove(worker);
        movedNs.remove(worker);
    }

    /** Whether a worker has come on, or to the end, since a time. */
    synchronized boolean hasMovedSince(int worker, long timeNs) {
        Long moved = movedNs.get(worker);
        return workersDone.containsKey(worker) || moved != null && moved - timeNs > 0;
    }

    /** Clock that a worker reported last. */
    synchronized long clock() {
        return clock;
    }

    /** Sentences in which nodes have told of what others should know, such as that they refuse frames. */
    synchronized long notes() {
        return notes;
    }

    /** How often workers have said that they come on, or have come to the end. */
    synchronized long words() {
        return words;
    }

    /** Whether any worker has come on since all nodes were started: then all have joined. */
    synchronized boolean hasBegun() {
        return begun;
    }

    /** Longest time without a word of any worker, the time since the last one included, in seconds. */
    synchronized double longestStallSeconds() {
        return Math.max(longestStallNs, stallNs(time.nanoTime())) / NS_PER_S;
    }

    /** The hash that some workers report, or a list of them if they differ; "none" of one that has said none. */
    synchronized String replicaHash(List<Integer> workers) {
        return workers.stream()
                .map(worker -> workersDone.containsKey(worker)
                        ? workersDone.get(worker).path("replicaHash").asText()
                        : "none")
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** What workers have pushed and servers have taken, by what they say at their end. */
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

    /** Whether a worker has done all its work. */
    synchronized boolean isDone(int worker) {
        return workersDone.containsKey(worker);
    }
}
