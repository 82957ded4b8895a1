package io.sluice.consistency.membership;

import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.tree.Place;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Where the nodes of a cluster are now, while under {@link DeathPolicy#WAIT} they go and come back: who has not been
 * heard of is away, and who joins again is elsewhere, with a key of its own, from an epoch on. Where workers come and
 * go, places are taken as they come.
 *
 * <p>Written by the membership's thread, before the epoch that changes it can be seen; read by any.
 */
public final class Attendance {
    /** Of a place that no node is known to have had. */
    private static final int UNKNOWN = -1;

    private final AtomicReferenceArray<Seat> seats;
    private final int[] firstEpochs;
    private final boolean changes;
    private final boolean grows;
    private volatile int away;

    /**
     * A node as it joined last.
     *
     * @param place     of the node
     * @param epoch     in which it was welcomed; -1 if that is not known, for it was away already
     * @param joinNonce with which it joined
     * @param clock     from which it went on; -1 for the beginning
     * @param isAway    whether it is dead since
     */
    public record Seat(Place place, int epoch, long joinNonce, long clock, boolean isAway) {}

    Attendance(ClusterPlan plan, ClusterState state) {
        List<Seat> seats =
                plan.nodes().stream().map(place -> seat(place, state)).toList();
        this.seats = new AtomicReferenceArray<>(seats.toArray(Seat[]::new));
        this.changes = DeathPolicy.WAIT == plan.settings().onDeath();
        this.grows = plan.settings().isElastic();
        this.firstEpochs = seats.stream().mapToInt(Seat::epoch).toArray();
        this.away = (int) seats.stream().filter(Seat::isAway).count();
    }

    private static Seat seat(Place place, ClusterState state) {
        ClusterState.Member member = state.member(place.node());
        boolean away = Presence.AWAY == member.presence();
        int epoch = away || Presence.VACANT == member.presence() ? UNKNOWN : member.epoch();
        return new Seat(place, epoch, member.seat().nonce(), SnapshotSchedule.NONE, away);
    }

    /**
     * A node.
     *
     * @param node its id
     * @return as it is now
     */
    public Seat seat(int node) {
        return seats.get(node);
    }

    /**
     * Which life of a place it is now: the epoch in which the node was welcomed that has it, or had it last.
     *
     * @param node id of the place
     * @return the epoch; -1 if nobody is known to have had it
     */
    public int life(int node) {
        return seats.get(node).epoch();
    }

    /**
     * Number of nodes, whether they are away or not.
     *
     * @return servers and workers
     */
    public int nodes() {
        return seats.length();
    }

    /**
     * In which epoch a node had joined when this one did.
     *
     * @param node its id
     * @return the epoch; -1 if the node was away
     */
    int firstEpoch(int node) {
        return firstEpochs[node];
    }

    /**
     * Whether nodes may come back at all.
     *
     * @return true under {@link DeathPolicy#WAIT}
     */
    public boolean changes() {
        return changes;
    }

    /**
     * Whether workers may come that were not there at the start.
     *
     * @return what the terms say
     */
    public boolean grows() {
        return grows;
    }

    /** Whether a place may be taken by another process than before. */
    boolean moves() {
        return changes || grows;
    }

    /**
     * Whether somebody is awaited: what does not come meanwhile is not late. One volatile read.
     *
     * @return true while a node is away
     */
    public boolean isAwaiting() {
        return away > 0;
    }

    void gone(int node) {
        Seat seat = seats.get(node);
        if (!seat.isAway()) {
            seats.set(node, new Seat(seat.place(), seat.epoch(), seat.joinNonce(), seat.clock(), true));
            away = count();
        }
    }

    void back(int node, int epoch, long joinNonce, long clock, String endpoint) {
        Place before = seats.get(node).place();
        seats.set(node, new Seat(new Place(node, before.host(), endpoint), epoch, joinNonce, clock, false));
        away = count();
    }

    void arrived(int node, int epoch, long joinNonce, String endpoint, String host) {
        seats.set(node, new Seat(new Place(node, host, endpoint), epoch, joinNonce, SnapshotSchedule.NONE, false));
    }

    private int count() {
        int found = 0;
        for (int node = 0; node < seats.length(); node++) {
            found += seats.get(node).isAway() ? 1 : 0;
        }
        return found;
    }
}
