package io.sluice.cli;

import io.sluice.cli.launch.NodeEvent;
import io.sluice.consistency.membership.NodeIds;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Collects the reports of nodes, and shows them as one live line: clock and loss of the worker with the highest clock,
 * bytes pushed, staleness. Safe from any thread.
 */
final class TrainProgress implements Consumer<NodeEvent>, AutoCloseable {
    private static final int TERMINAL_MS = 100;
    private static final int PIPE_MS = 2_000;
    private static final int LINE = 110;
    private static final double MIB = 1 << 20;

    private final ProgressBarBuilder builder;
    private final List<NodeEvent.WorkerDone> workers = new ArrayList<>();
    private final List<NodeEvent.ServerDone> servers = new ArrayList<>();
    private final Map<Integer, Long> bytesPushed = new HashMap<>();

    /** Nodes whose process or thread is not running yet. */
    private final Set<String> starting = new LinkedHashSet<>();

    /** Nodes that run and have not joined yet. */
    private final Set<String> joining = new LinkedHashSet<>();

    private Instant firstClock;

    private long staleness;
    private int shown;
    private volatile boolean ended;
    private ProgressBar bar;

    TrainProgress(int clocks) {
        boolean isTerminal = System.console() != null && System.console().isTerminal();
        builder = new ProgressBarBuilder()
                .setTaskName("clock")
                .setInitialMax(clocks)
                .setUpdateIntervalMillis(isTerminal ? TERMINAL_MS : PIPE_MS)
                .setStyle(ProgressBarStyle.ASCII)
                .continuousUpdate()
                .hideEta()
                .setMaxRenderedLength(LINE);
        if (!isTerminal) { // an overwritten line would hide reports of nodes, and fill a log
            builder.setConsumer(new DelegatingProgressBarConsumer(this::print, LINE));
        }
    }

    private void print(String line) {
        if (!ended) { // the bar renders its end more than once
            ended = line.contains("100%");
            System.err.println(line);
        }
    }

    /** Shows the line. Call it after the checks that may refuse the job. */
    synchronized void show() {
        bar = builder.build();
        bar.setExtraMessage("starting");
    }

    private void onStart(String node) {
        starting.add(node);
        showAwaited();
    }

    private void onStarted(String node) {
        starting.remove(node);
        joining.add(node);
        showAwaited();
    }

    private void onJoined(String node) {
        joining.remove(node);
        showAwaited();
    }

    private void showAwaited() {
        if (shown == 0) {
            bar.setExtraMessage(awaited());
        }
    }

    /** Describes what the first clock waits for. */
    synchronized String awaited() {
        if (!starting.isEmpty()) {
            return "starting " + named(starting);
        }
        return joining.isEmpty()
                ? "all nodes have joined; waiting for the first values"
                : "waiting for " + named(joining) + " to join";
    }

    /** The names of nodes by role, for example {@code server 1 and workers 0, 2}. */
    private static String named(Set<String> nodes) {
        Map<String, SortedSet<Integer>> byRole = new TreeMap<>();
        for (String node : nodes) {
            int blank = node.lastIndexOf(' ');
            byRole.computeIfAbsent(node.substring(0, blank), _ -> new TreeSet<>())
                    .add(Integer.valueOf(node.substring(blank + 1)));
        }
        return byRole.entrySet().stream()
                .map(role -> NodeIds.namesOf(role.getKey(), role.getValue()))
                .collect(Collectors.joining(" and "));
    }

    @Override
    public synchronized void accept(NodeEvent event) {
        switch (event) {
            case NodeEvent.Launched launched -> onStart(launched.node());
            case NodeEvent.Started started -> onStarted(started.node());
            case NodeEvent.Joined joined -> onJoined(joined.node());
            case NodeEvent.Note _ -> {} // printed on arrival
            case NodeEvent.Refused _ -> {} // only Relaunches needs it
            case NodeEvent.Clock clock -> onClock(clock);
            case NodeEvent.Evaluated _ -> {} // only the report needs it
            case NodeEvent.WorkerDone done -> workers.add(done);
            case NodeEvent.ServerDone done -> servers.add(done);
        }
    }

    private void onClock(NodeEvent.Clock clock) {
        firstClock = firstClock == null ? Instant.now() : firstClock;
        bytesPushed.put(clock.worker(), clock.bytesPushed());
        staleness = Math.max(staleness, clock.staleness());
        if (clock.clock() > shown) {
            shown = clock.clock();
            long pushed =
                    bytesPushed.values().stream().mapToLong(Long::longValue).sum();
            bar.setExtraMessage(
                    "loss %.4f, %.1f MiB pushed, stale %d".formatted(clock.loss(), pushed / MIB, staleness));
            bar.stepTo(clock.clock());
        }
    }

    /** Reports an iteration of a job without nodes. */
    synchronized void onClock(int clock, double loss) {
        bar.setExtraMessage("loss %.4f".formatted(loss));
        bar.stepTo(clock);
    }

    /** Time from the start of this JVM to the end of the first iteration that a worker reported. */
    synchronized Duration toFirstClock() {
        long startMs = ManagementFactory.getRuntimeMXBean().getStartTime();
        return Duration.between(Instant.ofEpochMilli(startMs), firstClock);
    }

    /** Results of the workers, in order of index. */
    synchronized List<NodeEvent.WorkerDone> workers() {
        return workers.stream()
                .sorted(Comparator.comparingInt(NodeEvent.WorkerDone::worker))
                .toList();
    }

    /** Results of the servers, in order of index. */
    synchronized List<NodeEvent.ServerDone> servers() {
        return servers.stream()
                .sorted(Comparator.comparingInt(NodeEvent.ServerDone::server))
                .toList();
    }

    @Override
    public synchronized void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
