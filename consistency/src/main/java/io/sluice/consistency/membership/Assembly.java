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
    private final ControlMessages messages;
    private final ControlNetwork network;
    private final NanoClock clock;
    private final EventSink sink;

    Assembly(
            ClusterSettings settings,
            long clusterId,
            Roster roster,
            SnapshotOrders snapshots,
            Announcements announcements,
            ControlMessages messages,
            ControlNetwork network,
            NanoClock clock,
            EventSink sink) {
        this.settings = settings;
        this.clusterId = clusterId;
        this.roster = roster;
        this.snapshots = snapshots;
        this.announcements = announcements;
        this.messages = messages;
        this.network = network;
        this.clock = clock;
        this.sink = sink;
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
            roster.refuseAll(messages, e.getMessage());
            return false;
        }
        if (null != snapshots.anew()) {
            network.report(snapshots.anew());
        }
        announcements.expect(all);
        List<Event.Seat> seats = Arrays.stream(all).map(Candidate::seat).toList();
        Event.Job job = new Event.Job(
                clusterId,
                snapshots.terms(settings),
                roster.declared(),
                settings.serverPlaces(),
                settings.onDeath(),
                start);
        sink.append(new Event.Completed(job, seats));
        return true;
    }
}
