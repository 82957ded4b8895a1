package io.sluice.cli;

import io.sluice.consistency.membership.Role;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.messaging.api.MessagingException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options by which a single node finds its cluster and its media driver. */
final class NodeOptions {
    @Option(
            names = "--cluster",
            paramLabel = "HOST:PORT",
            defaultValue = NodeContext.DEFAULT_CLUSTER,
            description = "Address of the coordinator, which is the first server (${DEFAULT-VALUE}).")
    private String cluster;

    @Option(
            names = "--coordinators",
            paramLabel = "HOST:PORT,...",
            description = "Instead of --cluster: addresses of several coordinators, by index; see sluice coordinator.")
    private String coordinators;

    @Option(
            names = "--coordinator-wait",
            paramLabel = "S",
            description = "With --coordinators: for how many seconds to continue without a leader (600).")
    private Integer coordinatorWaitSeconds;

    @Option(
            names = "--index",
            paramLabel = "I",
            defaultValue = "-1",
            description = "Index of this server or worker, from 0; -1 for any that is free.")
    private int index;

    @Option(
            names = "--bind",
            paramLabel = "HOST",
            description = "Local address to listen on; by default that of the route to the coordinator.")
    private String bind;

    @Option(
            names = "--wait-s",
            paramLabel = "S",
            defaultValue = "60",
            description = "How long to wait for the cluster to be complete (${DEFAULT-VALUE}).")
    private int waitSeconds;

    @Option(
            names = "--snapshots",
            paramLabel = "DIR",
            description = "Keep this node's snapshots in a folder of its own in DIR; needs --index.")
    private Path snapshots;

    @Option(names = SnapshotKeep.OPTION, paramLabel = "N", description = SnapshotKeep.DESCRIPTION)
    private Integer snapshotKeep;

    @Mixin
    private ProcessOptions process;

    /**
     * Checks the options before this server coordinates.
     *
     * @throws IllegalArgumentException if several coordinators are named
     */
    void requireOneCoordinator() {
        if (coordinators != null) {
            throw new IllegalArgumentException("--coordinators is " + coordinators
                    + ", expected --cluster with --coordinate: several coordinators have processes of their own");
        }
    }

    /** The options of every process of a cluster. */
    ProcessOptions process() {
        return process;
    }

    /** The folder of snapshots, or null. */
    Path snapshots() {
        return snapshots;
    }

    /**
     * Reports to the user that this node is about to join.
     *
     * @param context settings of this node
     * @param coordinated terms of the cluster that this node coordinates; null if it coordinates none
     */
    void joins(NodeContext<?> context, ClusterSettings coordinated) {
        String role = (context instanceof ServerContext ? Role.SERVER : Role.WORKER).configName();
        String name = index < 0 ? "a " + role : role + " " + index;
        String doing = coordinated == null
                ? name + " joins the cluster at "
                : "server 0 coordinates a cluster (servers: " + coordinated.servers() + ", workers: "
                        + coordinated.workers() + ") at ";
        process.opened(doing + (coordinators == null ? cluster : coordinators) + ", with the media driver in "
                + context.aeronDirectory() + "; it waits up to " + waitSeconds + " s for all nodes to join");
    }

    <C extends NodeContext<C>> C applyTo(C context) {
        try {
            context.cluster(coordinators == null ? cluster : coordinators);
        } catch (MessagingException e) {
            String option = coordinators == null ? "--cluster: " : "--coordinators: ";
            throw new IllegalArgumentException(option + e.getMessage(), e);
        }
        if (coordinatorWaitSeconds != null) {
            if (coordinators == null || coordinatorWaitSeconds < 1) {
                throw new IllegalArgumentException("--coordinator-wait is " + coordinatorWaitSeconds
                        + ", expected 1 or more, with --coordinators");
            }
            context.coordinatorWaitNs(coordinatorWaitSeconds * 1_000_000_000L);
        }
        if (waitSeconds < 1) {
            throw new IllegalArgumentException("--wait-s is " + waitSeconds + ", expected 1 or more");
        }
        context.index(index).completeNs(waitSeconds * 1_000_000_000L).snapshots(snapshots);
        SnapshotKeep.check(snapshotKeep, snapshots);
        if (snapshotKeep != null) {
            context.keptSnapshots(snapshotKeep);
        }
        String name = (context instanceof ServerContext ? Role.SERVER : Role.WORKER).configName() + " " + index;
        context.errorHandler(process.notes(name));
        process.started(name);
        process.applyTo(context);
        if (bind != null) {
            context.bindHost(bind);
        }
        if (process.aeronDirectory() != null) {
            context.aeronDirectory(process.aeronDirectory());
        }
        return context;
    }
}
