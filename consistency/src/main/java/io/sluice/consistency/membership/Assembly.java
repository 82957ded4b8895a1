package io.sluice.consistency.membership;

import io.sluice.consistency.terms.ClusterSettings;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.NanoClock;

/** What a coordinator does when all nodes have come: finds out where they begin. Used by its thread. */
final class Assembly {
    /** Of an eighth of a control stream's log, with room for changes of the crew. */
    private static final int MOST_BYTES = 96 << 10;

    /** Of a place in a state, besides its names. */
    private static final int FIXED_BYTES = 64;

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
        List<Event.Seat> seats = Arrays.stream(all).map(Candidate::seat).toList();
        List<String> names = IntStream.range(0, all.length)
                .mapToObj(settings.nodeIds()::nameOf)
                .toList();
        StartPoint start;
        try {
            start = snapshots.begin(all, names, clock.nanoTime());
            new ClusterPlan(clusterId, 0, settings, Roster.places(all), start).requireTrees();
            requireRoom(seats);
        } catch (IllegalArgumentException e) {
            roster.refuseAll(messages, e.getMessage());
            return false;
        }
        if (null != snapshots.anew()) {
            network.report(snapshots.anew());
        }
        announcements.expect(all);
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

    /** A welcome holds all places, and is one message of a control stream. */
    private static void requireRoom(List<Event.Seat> seats) {
        int characters = seats.stream()
                .mapToInt(seat -> seat.endpoint().length() + 2 * seat.host().length() + FIXED_BYTES)
                .sum();
        if (characters > MOST_BYTES) {
            throw new IllegalArgumentException("the state of " + seats.size() + " places takes " + characters
                    + " bytes, expected at most " + MOST_BYTES + ": use fewer places, or shorter names of hosts");
        }
    }
}
