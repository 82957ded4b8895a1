package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotSchedule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All that a coordinator has decided, as a state machine: {@link Decision}s in, the state of the cluster out. It knows
 * no clock, no links and no chance, so equal decisions in equal order make equal records, in whatever process; a
 * decision that does not fit the state, because it comes twice or too late, changes nothing.
 *
 * <p>For one thread.
 */
public final class ClusterRecord {
    /** How a place is taken. */
    public enum Presence {
        /** By a node that takes part, as far as is known. */
        HERE,
        /** By one that has left when its work was done. */
        LEFT,
        /** By a worker that was to go, and has gone. */
        GONE,
        /** By one that is dead, without which the others went on. */
        LOST,
        /** By one that is dead, and that the others wait for. */
        AWAY,
        /** By nobody: another may come. */
        VACANT
    }

    /**
     * A place.
     *
     * @param seat     of the node that has it, or had it last
     * @param life     the epoch in which that was welcomed
     * @param presence whether it is still there
     * @param clock    that it had reached when it left or was lost; 0 while it is here
     * @param start    from which it went on
     */
    public record Member(Decision.Seat seat, int life, Presence presence, long clock, StartPoint start) {
        Member gone(Presence how, long at) {
            return new Member(seat, life, how, at, start);
        }
    }

    /**
     * What began an epoch.
     *
     * @param node  its id
     * @param lost  whether it was lost; else it is back, or has come
     * @param clock that it had reached, or from which it went on
     * @param seat  of the node that is back or has come; of the one that was lost
     */
    public record Turn(int node, boolean lost, long clock, Decision.Seat seat) {}

    private final List<Member> members = new ArrayList<>();

    /** Turn i began epoch i + 1. */
    private final List<Turn> turns = new ArrayList<>();

    private Decision.Completed completed;
    private Decision.Failed failure;
    private Decision.Saved saved =
            new Decision.Saved(SnapshotSchedule.NONE, SnapshotSchedule.NONE, SnapshotSchedule.NONE);
    private boolean over;
    private long lastClock;
    private boolean closed;

    /** Before anybody has come. */
    public ClusterRecord() {}

    /**
     * Takes a decision in.
     *
     * @param decision in its turn
     * @return whether it had an effect
     */
    public boolean apply(Decision decision) {
        if (closed) {
            return false;
        }
        return switch (decision) {
            case Decision.Completed all -> complete(all);
            case Decision.Failed end -> fail(end);
            case Decision.Closed _ -> close();
            case Decision.Lost lost -> isOf(lost.node(), lost.life()) && lose(lost);
            case Decision.Left left -> isOf(left.node(), left.life()) && leave(left);
            case Decision.Readmitted back -> readmit(back);
            case Decision.Arrived worker -> arrive(worker);
            case Decision.Vacated place -> vacate(place.node());
            case Decision.Saved news -> save(news);
        };
    }

    private boolean complete(Decision.Completed all) {
        if (null != completed) {
            return false;
        }
        completed = all;
        StartPoint start = all.start();
        saved = new Decision.Saved(SnapshotSchedule.NONE, start.clock(), start.previous());
        for (Decision.Seat seat : all.seats()) {
            members.add(new Member(seat, 0, 0 == seat.nonce() ? Presence.VACANT : Presence.HERE, 0, start));
        }
        return true;
    }

    private boolean isOf(int node, int life) {
        return isPlace(node)
                && members.get(node).life() == life
                && members.get(node).presence() == Presence.HERE;
    }

    private boolean isPlace(int node) {
        return node >= 0 && node < members.size();
    }

    private boolean lose(Decision.Lost lost) {
        if (null != failure) {
            return false;
        }
        int node = lost.node();
        boolean waits = DeathPolicy.WAIT == completed.onDeath();
        members.set(node, members.get(node).gone(waits ? Presence.AWAY : Presence.LOST, lost.clock()));
        if (!waits && areWorkersLost()) {
            failNow(node, lost.reason() + "; it had reached clock " + lost.clock() + ", and no worker is left");
            return true;
        }
        turns.add(new Turn(node, true, lost.clock(), members.get(node).seat()));
        endWithWorkers(lost.clock());
        return true;
    }

    private boolean leave(Decision.Left left) {
        int node = left.node();
        members.set(node, members.get(node).gone(left.done() ? Presence.LEFT : Presence.GONE, left.clock()));
        if (areWorkersLost()) {
            failNow(node, nodeIds().nameOf(node) + " has gone, and no worker is left to go on");
        } else {
            endWithWorkers(left.clock());
        }
        return true;
    }

    private void failNow(int node, String sentence) {
        if (null == failure) {
            failure = new Decision.Failed(Failure.PEER_LOST, node, sentence);
        }
    }

    /** All workers are lost, or were to go and have gone: none has come to the end of its work. */
    private boolean areWorkersLost() {
        return workers().stream()
                .allMatch(
                        worker -> isAny(worker, Presence.LOST, Presence.VACANT) || Presence.GONE == worker.presence());
    }

    private void endWithWorkers(long clock) {
        boolean gone = workers().stream().noneMatch(worker -> isAny(worker, Presence.HERE, Presence.AWAY));
        if (gone && !over) {
            over = true;
            lastClock = clock;
        }
    }

    private NodeIds nodeIds() {
        return new NodeIds(completed.servers(), members.size() - completed.servers());
    }

    private List<Member> workers() {
        return members.subList(completed.servers(), members.size());
    }

    private static boolean isAny(Member member, Presence one, Presence other) {
        return member.presence() == one || member.presence() == other;
    }

    private boolean readmit(Decision.Readmitted back) {
        int node = back.node();
        if (!isPlace(node)
                || members.get(node).presence() != Presence.AWAY
                || members.get(node).life() != back.life()
                || null != failure) {
            return false;
        }
        turns.add(new Turn(node, false, back.start().clock(), back.seat()));
        members.set(node, new Member(back.seat(), epoch(), Presence.HERE, 0, back.start()));
        return true;
    }

    private boolean arrive(Decision.Arrived worker) {
        int node = worker.node();
        if (!isPlace(node) || members.get(node).presence() != Presence.VACANT || null != failure) {
            return false;
        }
        turns.add(new Turn(node, false, SnapshotSchedule.NONE, worker.seat()));
        members.set(node, new Member(worker.seat(), epoch(), Presence.HERE, 0, StartPoint.FRESH));
        return true;
    }

    private boolean vacate(int node) {
        if (!isPlace(node) || !isAny(members.get(node), Presence.LOST, Presence.GONE)) {
            return false;
        }
        members.set(
                node, members.get(node).gone(Presence.VACANT, members.get(node).clock()));
        return true;
    }

    /** What is safe never becomes less. */
    private boolean save(Decision.Saved news) {
        boolean fits = null != completed && news.committed() >= saved.committed();
        if (fits) {
            saved = news;
        }
        return fits;
    }

    private boolean fail(Decision.Failed end) {
        if (null == completed || null != failure) {
            return false;
        }
        failure = end;
        return true;
    }

    private boolean close() {
        closed = true;
        return true;
    }

    /** Whether all nodes have come, so that there is something to know. */
    public boolean isComplete() {
        return null != completed;
    }

    /** How it began; null before. */
    public Decision.Completed completed() {
        return completed;
    }

    /** The epoch: as many as there were turns. */
    public int epoch() {
        return turns.size();
    }

    /**
     * What has begun each epoch after a given one.
     *
     * @param epoch that somebody knows of
     * @return in their order
     */
    public List<Turn> turnsAfter(int epoch) {
        return Collections.unmodifiableList(turns.subList(Math.clamp(epoch, 0, turns.size()), turns.size()));
    }

    /** All places, in order of node id; none before the cluster is complete. */
    public List<Member> members() {
        return Collections.unmodifiableList(members);
    }

    /**
     * One place.
     *
     * @param node its id
     * @return who has it
     */
    public Member member(int node) {
        return members.get(node);
    }

    /** How far snapshots are. */
    public Decision.Saved saved() {
        return saved;
    }

    /** Why the cluster ends; null if it does not. */
    public Decision.Failed failure() {
        return failure;
    }

    /** Whether all workers are gone. */
    public boolean isOver() {
        return over;
    }

    /** The clock of the last worker that went. */
    public long lastClock() {
        return lastClock;
    }

    /** Whether nothing is to be coordinated any more. */
    public boolean isClosed() {
        return closed;
    }

    /** What a copy is made of; see {@link RecordCodec}. */
    record Contents(
            Decision.Completed completed,
            List<Member> members,
            List<Turn> turns,
            Decision.Saved saved,
            Decision.Failed failure,
            boolean over,
            long lastClock,
            boolean closed) {}

    Contents contents() {
        return new Contents(
                completed, List.copyOf(members), List.copyOf(turns), saved, failure, over, lastClock, closed);
    }

    static ClusterRecord of(Contents contents) {
        ClusterRecord copy = new ClusterRecord();
        copy.completed = contents.completed();
        copy.members.addAll(contents.members());
        copy.turns.addAll(contents.turns());
        copy.saved = contents.saved();
        copy.failure = contents.failure();
        copy.over = contents.over();
        copy.lastClock = contents.lastClock();
        copy.closed = contents.closed();
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterRecord record && contents().equals(record.contents());
    }

    @Override
    public int hashCode() {
        return contents().hashCode();
    }

    @Override
    public String toString() {
        return contents().toString();
    }
}
