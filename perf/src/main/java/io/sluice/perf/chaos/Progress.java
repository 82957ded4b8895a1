package io.sluice.perf.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How far the workers of a job are, by what they report, and what its nodes say at the end. Safe from any thread; times
 * are of {@link System#nanoTime()}.
 */
final class Progress {
    private static final double NS_PER_S = 1e9;

    /** With this the coordinator ends its sentence about a node that is dead. */
    private static final String AWAITED = "; the cluster waits for it";

    private final Map<Integer, Long> movedNs = new HashMap<>();
    private final Map<Integer, JsonNode> workersDone = new TreeMap<>();

    /** What nodes have said at their end, in some places one after the other. */
    private final List<JsonNode> done = new ArrayList<>();

    private long lastNs;
    private boolean moving;
    private long longestStallNs;
    private long clock;
    private long notes;
    private long awaitedNs;

    /** Takes in a report of a node. */
    synchronized void accept(JsonNode event) {
        switch (event.path("event").asText()) {
            case "clock" ->
                onClock(event.path("worker").asInt(), event.path("clock").asLong());
            case "note" -> onNote(event.path("text").asText());
            case "worker-done" -> {
                workersDone.put(event.path("worker").asInt(), event);
                done.add(event);
            }
            case "server-done" -> done.add(event);
            default -> {} // not of the trainer
        }
    }

    private void onNote(String text) {
        notes++;
        if (text.endsWith(AWAITED)) {
            awaitedNs = System.nanoTime();
        }
    }

    private void onClock(int worker, long reached) {
        long nowNs = System.nanoTime();
        if (moving) {
            longestStallNs = Math.max(longestStallNs, nowNs - lastNs);
        }
        moving = true;
        lastNs = nowNs;
        clock = reached;
        movedNs.put(worker, nowNs);
    }

    /** All nodes are about to be started anew: what they said before is not of this life. */
    synchronized void restart() {
        movedNs.clear();
        workersDone.clear();
        done.clear();
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

    /** Longest time between two reports of any workers, in seconds. */
    synchronized double longestStallSeconds() {
        return longestStallNs / NS_PER_S;
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

    /** When the coordinator said last that it waits for a node, or 0. */
    synchronized long awaitedNs() {
        return awaitedNs;
    }
}
