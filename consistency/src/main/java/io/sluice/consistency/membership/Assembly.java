package io.sluice.consistency.membership;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.NanoClock;

/** What a coordinator does when all nodes have come: finds out where they begin. Used by its thread. */
final class Assembly {
    private final ClusterSettings settings;
    private final long clusterId;
    private final Roster roster;
    private final SnapshotOrders snapshots;
    private final Announcements announcements;
    private final ControlNetwork network;
    private final NanoClock clock;
    private final DecisionLog log;

    Assembly(
            ClusterSettings settings,
            long clusterId,
            Roster roster,
            SnapshotOrders snapshots,
            Announcements announcements,
            ControlNetwork network,
            NanoClock clock,
            DecisionLog log) {
        this.settings = settings;
        this.clusterId = clusterId;
        this.roster = roster;
        this.snapshots = snapshots;
        this.announcements = announcements;
        this.network = network;
        this.clock = clock;
        this.log = log;
    }

    /**
     * They hear where they begin once that is decided.
     *
     * @return false if they cannot work together; they are told why
     */
    boolean complete() {
        Candidate[] all = roster.assign();
        List<String> names = IntStream.range(0, all.length)
                .mapToObj(settings.nodeIds()::nameOf)
                .toList();
        StartPoint start;
        try {
            start = snapshots.begin(all, names, clock.nanoTime());
            new ClusterPlan(clusterId, 0, settings, Roster.places(all), start).requireTrees();
        } catch (IllegalArgumentException e) {
            announcements.refuse(all, e.getMessage());
            return false;
        }
        if (null != snapshots.anew()) {
            network.report(snapshots.anew());
        }
        announcements.expect(all);
        List<Decision.Seat> seats = Arrays.stream(all).map(Candidate::seat).toList();
        log.append(new Decision.Completed(
                clusterId,
                snapshots.terms(settings),
                roster.declared(),
                settings.serverPlaces(),
                settings.onDeath(),
                start,
                seats));
        return true;
    }
}
