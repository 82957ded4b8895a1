package io.sluice.consistency.server;

import io.sluice.consistency.membership.Crew;
import io.sluice.consistency.membership.CrewChange;
import io.sluice.consistency.membership.CrewHistory;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.wire.StateSender;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A server's part in the coming and going of workers (decision 33) and servers (decision 37): each of its tables begins
 * a round with the pushes of those who take part in it, for the slices that are here in it, and who comes is handed the
 * parameters first. Used by the server's thread.
 */
final class ShardCrew {
    private static final int NOBODY = -1;

    private final Membership membership;
    private final Broadcasting broadcasting;
    private final StateSender sender;
    private final List<Request> requests = new ArrayList<>();
    private final SliceMoves moves;
    private final ShardStats stats;

    /** By worker, the life of its place in which it is sent to, or was last. */
    private final int[] sentTo;

    /** Those that have slices here, or begin to. */
    private TableShard[] tables;

    /** The history of which all changes are passed. */
    private CrewHistory passed;

    /** The clock of the last change that is. */
    private long passedClock;

    /** A worker that joins asks for the parameters of a version. */
    private record Request(int worker, TableShard table, long version) {
        /** It is the version before the round that needs the worker, so nothing changes before all is sent. */
        boolean isReady() {
            return table.version() == version && table.begins(version + 1);
        }
    }

    /**
     * Begins with the workers of the first crew, as to the others, that were excused.
     *
     * @param membership   of this server
     * @param broadcasting sends to those who take part
     * @param sender       hands state to nodes that join
     * @param moves        of slices between servers
     * @param stats        of this server
     * @param all          tables
     */
    ShardCrew(
            Membership membership,
            Broadcasting broadcasting,
            StateSender sender,
            SliceMoves moves,
            ShardStats stats,
            TableShard[] all) {
        this.membership = membership;
        this.broadcasting = broadcasting;
        this.sender = sender;
        this.stats = stats;
        this.moves = moves;
        this.tables = all;
        this.passedClock = membership.crews().history().crews().getFirst().since();
        ClusterSettings settings = membership.plan().settings();
        this.sentTo = new int[settings.workerPlaces()];
        for (int worker = 0; worker < sentTo.length; worker++) { // whom a server sends to from the start began with it
            sentTo[worker] = broadcasting.sendsTo(worker) ? membership.plan().epoch() : NOBODY;
        }
        for (TableShard table : all) {
            for (int worker = settings.workers(); worker < settings.workerPlaces(); worker++) {
                table.leaveOut(worker);
            }
            table.startBy(this::mayBegin);
        }
    }

    /** These have slices here, or begin to: the others have no part in any round. */
    void serve(TableShard[] owned) {
        tables = owned;
    }

    private boolean mayBegin(TableShard table, long round) {
        if (!hasWorkers(round) || !membership.crews().mayBegin(round)) {
            return false;
        }
        CrewHistory history = membership.crews().history();
        CrewChange change = history.changeAt(round);
        if (null == change) {
            return true;
        }
        broadcasting.follow(membership.state());
        if (change.isOfServer()) {
            moves.migrate(table, change);
            sendToCrew(history.at(round));
            return true;
        }
        int worker = change.index();
        if (change.joins() && !membership.isLost(worker)) { // to one that is gone nothing could be sent
            table.admit(worker, round);
            sendTo(worker);
        } else {
            table.leaveOut(worker);
        }
        stats.receivers(history.at(round).size());
        return true;
    }

    /** Where nothing was owned before no table has begun the rounds with which workers came, and nothing was sent. */
    private void sendToCrew(Crew crew) {
        for (int worker : crew.workers()) {
            if (!membership.isLost(worker)) {
                sendTo(worker);
            }
        }
        stats.receivers(crew.size());
    }

    /** What is agreed on may be of one whose coming nobody has looked at here so far. */
    private void sendTo(int worker) {
        int life = lifeOf(worker);
        if (sentTo[worker] != life) {
            broadcasting.sendTo(membership.state(), worker, false);
            sentTo[worker] = life;
        }
        broadcasting.sendTo(membership.state(), worker, true);
    }

    private int lifeOf(int worker) {
        return membership.attendance().life(membership.plan().workerNode(worker));
    }

    /**
     * Whether somebody is left to take part in a round, or it is known who is the next to: with all lost, and another
     * on its way in, there is nothing to go on for.
     */
    private boolean hasWorkers(long round) {
        CrewHistory history = membership.crews().history();
        for (Crew crew : history.crews().reversed()) {
            for (int worker : crew.workers()) {
                if (!membership.isLost(worker)) {
                    return true;
                }
            }
            if (crew.since() <= round) {
                return false;
            }
        }
        return false;
    }

    /**
     * Says up to which change all tables here are: the places of workers that went before may be taken again, and
     * servers that went before may leave.
     */
    private int tellWhatIsPassed() {
        CrewHistory history = moves.followed();
        if (history == passed) {
            return 0;
        }
        long begun = Long.MAX_VALUE; // nothing is awaited where the server owns nothing
        for (TableShard table : tables) {
            begun = Math.min(begun, table.begun());
        }
        long since = history.passedAt(begun);
        passed = history.isLast(since) ? history : passed;
        if (since == passedClock) {
            return 0;
        }
        passedClock = since;
        membership.crews().passed(since);
        return 1;
    }

    /** A worker asks for the parameters of a version; false if they are past. */
    boolean pull(int worker, TableShard table, long version) {
        if (version < table.version()) {
            return false;
        }
        sender.open(incarnation(worker));
        requests.removeIf(request -> request.worker == worker && request.table == table);
        requests.add(new Request(worker, table, version));
        return true;
    }

    private int handOver() {
        int work = 0;
        for (int i = requests.size() - 1; i >= 0; i--) {
            Request request = requests.get(i);
            if (request.isReady()) {
                TablePart part = request.table.part();
                int[] all = IntStream.range(0, part.slices().length).toArray();
                MemorySegment parameters = part.parameters().store().segment();
                sender.send(
                        incarnation(request.worker), part.load(request.table.spec(), request.version, all, parameters));
                requests.remove(i);
                work++;
            }
        }
        return work;
    }

    private Incarnation incarnation(int worker) {
        return new Incarnation(membership.plan().workerNode(worker), lifeOf(worker));
    }

    /** Another has come in a worker's place: nothing more is sent to the one before. */
    void forgetLivesBefore(int worker) {
        requests.removeIf(request -> request.worker == worker); // the other's are still to be taken
        sender.forgetBefore(incarnation(worker));
        if (sentTo[worker] != lifeOf(worker)) {
            broadcasting.sendTo(membership.state(), worker, false);
        }
    }

    /** Sends nothing more to a worker that is gone. */
    void forget(int worker) {
        broadcasting.sendTo(membership.state(), worker, false);
        requests.removeIf(request -> request.worker == worker);
        sender.forget(membership.plan().workerNode(worker));
    }

    /** Hands over what there is room for; returns the number of frames, and of messages. */
    int work(long nowNs) {
        broadcasting.follow(membership.state());
        moves.follow();
        return handOver() + sender.work(nowNs) + tellWhatIsPassed();
    }
}
