package io.sluice.perf.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * How far the workers of a job are, by what they report, and what its nodes say at the end. Safe from any thread; times
 * are of {@link System#nanoTime()}.
 */
final class Progress {
    private static final double NS_PER_S = 1e9;

    /** With this the coordinator ends its sentence about a node that is dead. */
    private static final String AWAITED = "; the cluster waits for it";

    private final Map<Integer, Long> movedNs = new HashMap<>();
    private final Set<Integer> joined = new HashSet<>();
    private final Map<Integer, JsonNode> workersDone = new TreeMap<>();
    private final Map<Integer, JsonNode> serversDone = new TreeMap<>();
    private long lastNs;
    private boolean moving;
    private long longestStallNs;
    private long clock;
    private long notes;
    private long awaitedNs;

    /** Takes in a report of a node. */
    synchronized void accept(JsonNode event) {
        switch (event.path("event").asText()) {
            case "joined" -> joined.add(event.path("worker").asInt());
            case "clock" ->
                onClock(event.path("worker").asInt(), event.path("clock").asLong());
            case "note" -> onNote(event.path("text").asText());
            case "worker-done" -> workersDone.put(event.path("worker").asInt(), event);
            case "server-done" -> serversDone.put(event.path("server").asInt(), event);
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
        joined.clear();
        movedNs.clear();
        workersDone.clear();
        serversDone.clear();
    }

    /** A worker is about to be started anew. */
    synchronized void restart(int worker) {
        joined.remove(worker);
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

    /** The hash that all workers report, or a list of them if they differ; "none" without any. */
    synchronized String replicaHash() {
        return workersDone.values().stream()
                .map(done -> done.path("replicaHash").asText())
                .distinct()
                .reduce((a, b) -> a + ", " + b)
                .orElse("none");
    }

    /** What workers have pushed and servers have taken, by what they say at their end. */
    synchronized Counts counts() {
        return new Counts(counts(workersDone, "framesPushed"), counts(serversDone, "framesTaken"));
    }

    private static Map<Integer, Long> counts(Map<Integer, JsonNode> done, String field) {
        Map<Integer, Long> counts = new HashMap<>();
        done.forEach((node, said) -> counts.put(node, said.path(field).asLong()));
        return counts;
    }

    /** Whether a worker has done all its work. */
    synchronized boolean isDone(int worker) {
        return workersDone.containsKey(worker);
    }

    /** Whether some worker has. */
    synchronized boolean isEnding() {
        return !workersDone.isEmpty();
    }

    /** When the coordinator said last that it waits for a node, or 0. */
    synchronized long awaitedNs() {
        return awaitedNs;
    }
}
