package io.sluice.cli;

import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.consistency.replica.CoordinatorContext;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.terms.ClusterSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options for the snapshots of a cluster, which the coordinator takes; every node names its own folder. */
final class SnapshotOptions {
    private static final String DEFAULT_INTERVAL = "auto";
    private static final String NEWEST = "newest";

    @Option(
            names = "--snapshot-every",
            paramLabel = "N",
            description =
                    "With --snapshots: clocks between two snapshots; or auto[:MTBF], which uses their cost and the"
                            + " cluster's mean time between failures, such as auto:6h (auto, which is auto:1d).")
    private String interval;

    @Option(
            names = "--restore",
            paramLabel = "CLOCK",
            arity = "0..1",
            fallbackValue = NEWEST,
            description =
                    "With --snapshots: resume from the newest clock that all nodes can restore; start afresh if none"
                            + " holds a snapshot. With CLOCK: return to that clock, and discard what followed.")
    private String restore;

    /**
     * Makes the cluster take snapshots if there is a folder for them.
     *
     * @throws IllegalArgumentException naming the option at fault
     */
    void applyTo(ServerContext coordinator, Path folder) {
        check(folder);
        if (null != folder) {
            Restoration restoration = restoration();
            if (restoration.isExact()) {
                coordinator.takeSnapshots(interval(), restoration.clock());
            } else {
                coordinator.takeSnapshots(interval(), restoration.wanted());
            }
        }
    }

    /**
     * Makes a cluster with several coordinators take snapshots if an option requests them or the job needs them. Unlike
     * a server that coordinates, a coordinator has no folder whose presence requests them.
     *
     * @throws IllegalArgumentException naming the option at fault
     */
    void applyTo(CoordinatorContext coordinator, boolean needed) {
        if (needed || null != restore || null != interval) {
            Restoration restoration = restoration();
            if (restoration.isExact()) {
                coordinator.takeSnapshots(interval(), restoration.clock());
            } else {
                coordinator.takeSnapshots(interval(), restoration.wanted());
            }
        }
    }

    /** Refuses options that are invalid or would have no effect. */
    void check(Path folder) {
        interval();
        restoration();
        if (null == folder && (null != restore || null != interval)) {
            throw new IllegalArgumentException(
                    (null != restore ? "--restore" : "--snapshot-every " + interval) + " needs --snapshots DIR");
        }
    }

    /** Whether the job continues from a snapshot. */
    boolean restores() {
        return restore != null;
    }

    private String interval() {
        String text = null == interval ? DEFAULT_INTERVAL : interval;
        try {
            SnapshotInterval.parse(text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--snapshot-every: " + e.getMessage(), e);
        }
    }

    private Restoration restoration() {
        if (null == restore || NEWEST.equals(restore)) {
            return null == restore ? Restoration.NONE : Restoration.NEWEST;
        }
        try {
            return Restoration.at(Long.parseLong(restore));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "--restore is '" + restore + "', expected a clock from 0, or nothing for the newest", e);
        }
    }

    /**
     * The snapshot and the nodes with which a job begins. In an elastic job the snapshots name the nodes that took
     * part.
     *
     * @param cluster   terms of the cluster
     * @param snapshots folder of the job; null if it takes none
     * @param resume    whether the job continues from the newest snapshot regardless of the options
     * @return the beginning, without a clock if the options or the coordinator determine it
     */
    SharedSnapshot beginning(ClusterSettings cluster, Path snapshots, boolean resume) {
        Restoration restoration = resume ? Restoration.NEWEST : restoration();
        if (null == snapshots || !restoration.wanted()) {
            return SharedSnapshot.none(cluster);
        }
        if (!cluster.isElastic() || !restoration.isExact()) {
            return SharedSnapshot.newest(cluster, snapshots);
        }
        return SharedSnapshot.at(cluster, snapshots, restoration.clock());
    }

    /** A command line that continues from the newest snapshot, regardless of where the given one began. */
    static List<String> restoringNewest(List<String> commandLine) {
        List<String> arguments = new ArrayList<>();
        boolean afterRestore = false;
        for (String argument : commandLine) {
            boolean isClock = afterRestore && !argument.startsWith("-");
            afterRestore = argument.equals("--restore");
            if (!isClock && !afterRestore && !argument.startsWith("--restore=")) {
                arguments.add(argument);
            }
        }
        arguments.add("--restore");
        return arguments;
    }

    /**
     * The same options, as arguments for the child process that coordinates.
     *
     * @param beginning beginning of the job
     * @param resume    whether the job continues from the newest snapshot, as for {@link #beginning}
     */
    List<String> arguments(SharedSnapshot beginning, boolean resume) {
        List<String> arguments = new ArrayList<>();
        if (null != interval) {
            ClusterOptions.add(arguments, "--snapshot-every", interval);
        }
        String clock = !resume && null != restore && !NEWEST.equals(restore) ? restore : beginning.option();
        if (!clock.isEmpty()) {
            ClusterOptions.add(arguments, "--restore", clock);
        } else if (resume || null != restore) {
            arguments.add("--restore");
        }
        return arguments;
    }

    /** Adds the snapshot interval to the arguments of coordinators, which have no folder of snapshots. */
    List<String> withInterval(List<String> orders) {
        List<String> arguments = new ArrayList<>(orders);
        if (null == interval) {
            ClusterOptions.add(arguments, "--snapshot-every", DEFAULT_INTERVAL);
        }
        return arguments;
    }
}
