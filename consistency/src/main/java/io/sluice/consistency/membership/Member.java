package io.sluice.consistency.membership;

/**
 * A place and its node.
 *
 * @param seat     seat of the node that has the place, or had it last
 * @param home     host for which broadcasts were planned; a node may rejoin from another host
 * @param epoch    epoch in which the cluster welcomed that node
 * @param presence state of that node
 * @param clock    clock that the node had reached when it left or was lost; 0 while it is a member
 * @param start    clock from which it started
 * @param passed   clock of the last change that the node has passed, if it is a server ({@link
 *     WorkerSetHistory#passedAt})
 */
public record Member(
        Event.Seat seat, String home, int epoch, Presence presence, long clock, StartPoint start, long passed) {
    Member as(Presence next, long at) {
        return new Member(seat, home, epoch, next, at, start, passed);
    }

    Member past(long change) {
        return new Member(seat, home, epoch, presence, clock, start, change);
    }
}
