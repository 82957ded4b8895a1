package io.sluice.samples;

import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.snapshot.SnapshotInterval;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Which snapshots a cluster takes: for whoever coordinates it, beside the folder that every node names. */
final class SnapshotOptions {
    private static final String DEFAULT_INTERVAL = "auto";

    @Option(
            names = "--snapshot-every",
            paramLabel = "N",
            description = "With --snapshots: clocks between two snapshots; or auto[:MTBF], by what they cost and the"
                    + " cluster's mean time between failures, as auto:6h (auto, which is auto:1d).")
    private String interval;

    @Option(
            names = "--restore",
            description = "With --snapshots: go on from the newest clock of which all nodes hold a snapshot; start"
                    + " afresh if none holds any.")
    private boolean restore;

    /**
     * Has the cluster take snapshots, if there is a folder for them.
     *
     * @throws IllegalArgumentException naming the option at fault
     */
    void applyTo(ServerContext coordinator, Path folder) {
        check(folder);
        if (null != folder) {
            coordinator.takeSnapshots(interval(), restore);
        }
    }

    /** Refuses options that would be without effect, or make no sense. */
    void check(Path folder) {
        interval();
        if (null == folder && (restore || null != interval)) {
            throw new IllegalArgumentException(
                    (restore ? "--restore" : "--snapshot-every " + interval) + " needs --snapshots DIR");
        }
    }

    private SnapshotInterval interval() {
        try {
            return SnapshotInterval.parse(null == interval ? DEFAULT_INTERVAL : interval);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--snapshot-every: " + e.getMessage(), e);
        }
    }

    /** Whether to go on from snapshots. */
    boolean restores() {
        return restore;
    }

    /** The same options, to be handed to the child process that coordinates. */
    List<String> arguments() {
        return arguments(restore);
    }

    /** As {@link #arguments()}, going on from snapshots or not. */
    List<String> arguments(boolean goOn) {
        List<String> arguments = new ArrayList<>();
        if (null != interval) {
            arguments.addAll(List.of("--snapshot-every", interval));
        }
        if (goOn) {
            arguments.add("--restore");
        }
        return arguments;
    }
}
