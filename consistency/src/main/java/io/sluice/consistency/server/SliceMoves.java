package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.PlacementHistory;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.StateReceiver;
import io.sluice.consistency.wire.StateReceiver.Admission;
import io.sluice.consistency.wire.StateSender;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Moves slices when servers join and leave (decision 7). Each table changes its slices at the agreed round. Slices that
 * stay keep their sums. The server transfers slices that leave, and waits for slices that arrive. For the server's
 * thread.
 */
final class SliceMoves implements StateReceiver.Destination {
    private final Membership membership;
    private final ServerView view;
    private final int server;
    private final int servers;
    private final List<TableSpec> specs;
    private final PlacementHistory placements;
    private final TableShards shards;
    private final TableShard[] tables;
    private final StateSender sender;

    /** Called when a table receives its first slices at this server or loses its last slices. */
    private final Runnable changed;

    private final List<ServerReport.Move> done = new ArrayList<>();

    SliceMoves(
            Membership membership,
            ServerView view,
            List<TableSpec> specs,
            TableShards shards,
            TableShard[] tables,
            StateSender sender,
            Runnable changed) {
        this.membership = membership;
        this.view = view;
        this.server = membership.node();
        this.servers = membership.plan().settings().serverPlaces();
        this.specs = specs;
        this.placements = PlacementHistory.of(membership.plan().settings(), specs);
        this.shards = shards;
        this.tables = tables;
        this.sender = sender;
        this.changed = changed;
    }

    /**
     * Prepares tables that receive their first slices here by the changes since a state, before any worker pushes them.
     *
     * @param before the state; null for the state in which the job began
     */
    void rise(ClusterState before) {
        List<WorkerSetChange> changes = view.workerSets().changes();
        int known = null == before
                ? view.workerSets().earlier()
                : before.workerSets().changes().size();
        for (WorkerSetChange change : changes.subList(known, changes.size())) {
            if (change.isOfServer()) {
                specs.forEach(spec -> riseWith(change, spec));
                changed.run();
            }
        }
    }

    private void riseWith(WorkerSetChange change, TableSpec spec) {
        TableShard table = tables[spec.id()];
        if (table.isAtRest() && at(change.clock()).slicesOf(spec.id(), server).length > 0) {
            table.rise(change.clock());
        }
    }

    private Placement at(long round) {
        return placements.at(view.workerSets().serverChanges(), round);
    }

    /** Whether the owners of slices in a round are still undecided. */
    boolean isUndecided(long round) {
        return membership.workerSetChanges().isHeld(round) || view.isBehind();
    }

    /** Whether this server owns a slice in a round that it does not own now. */
    boolean gains(TableShard table, int slice, long round) {
        return slice < table.spec().slices() && at(round).owner(table.spec().id(), slice) == server;
    }

    /**
     * Accepts a slice once the first round in which this server owns it has begun here. Pushes for the slice wait until
     * it has arrived, so the order of floating-point additions does not change.
     */
    @Override
    public Admission admit(int from, TableSpec spec, int slice, long version) {
        long round = version + 1;
        boolean undecided = isUndecided(round); // read first, because the decision may arrive in between
        boolean arrives = round > 1
                && from != server
                && at(round).owner(spec.id(), slice) == server
                && at(version).owner(spec.id(), slice) == from;
        if (!arrives) {
            return undecided ? Admission.LATER : Admission.DROP;
        }
        TableShard table = tables[spec.id()];
        if (table.version() < version || !table.begins(round)) {
            return Admission.LATER;
        }
        int position = table.position(slice);
        return position >= 0 && table.awaits(position) ? Admission.TAKE : Admission.DROP;
    }

    @Override
    public MemorySegment store(TableSpec spec, int index) {
        return tables[spec.id()].part().stores()[index];
    }

    @Override
    public long offset(TableSpec spec, int slice) {
        TableShard table = tables[spec.id()];
        return table.sums().offset(table.position(slice));
    }

    @Override
    public void onSlice(TableSpec spec, int slice) {
        TableShard table = tables[spec.id()];
        table.arrived(table.position(slice));
    }

    @Override
    public void onLoad(int from, TableSpec spec) {
        // Each slice counts once it has arrived.
    }

    /** Starts the first round of a change at a table, with the slices of that round. */
    void migrate(TableShard table, WorkerSetChange change) {
        TableSpec spec = table.spec();
        long round = change.clock();
        Placement after = at(round);
        int[] slices = after.slicesOf(spec.id(), server);
        TablePart before = table.part();
        if (Arrays.equals(slices, before.slices())) {
            return;
        }
        shards.own(specs.stream().map(each -> after.slicesOf(each.id(), server)).toList());
        TablePart part = shards.part(spec, slices, round - 1);
        int[] missing = part.takeOver(before);
        for (int worker = 0; worker < membership.plan().settings().workerPlaces(); worker++) {
            if (view.isExcused(worker) || !view.workerSets().has(worker, round)) {
                part.sums().excuse(worker);
            }
        }
        table.migrate(part, missing);
        for (WorkerSetChange later : view.workerSets().serverChanges()) {
            if (later.clock() > round) {
                riseWith(later, spec);
            }
        }
        int given = 0;
        for (int other = 0; other < servers; other++) {
            int receiver = other;
            int[] leaving = IntStream.range(0, before.slices().length)
                    .filter(position ->
                            receiver != server && after.owner(spec.id(), before.slices()[position]) == receiver)
                    .toArray();
            if (leaving.length > 0) {
                sender.send(view.incarnation(other), before.load(spec, round - 1, leaving, before.stores()));
                given += leaving.length;
            }
        }
        note(new ServerReport.Move(round, missing.length, given));
        changed.run();
    }

    /** Adds to the moves; all tables of a change make one move. */
    private void note(ServerReport.Move move) {
        for (int i = 0; i < done.size(); i++) {
            ServerReport.Move other = done.get(i);
            if (other.clock() == move.clock()) {
                done.set(
                        i,
                        new ServerReport.Move(
                                move.clock(), other.gained() + move.gained(), other.given() + move.given()));
                return;
            }
        }
        done.add(move);
    }

    /** Describes servers that have not accepted transferred slices yet; empty if there are none. */
    String awaited() {
        String receivers = IntStream.range(0, servers)
                .filter(sender::isSendingTo)
                .mapToObj(other -> "server " + other + " at "
                        + view.state().member(other).seat().endpoint())
                .collect(Collectors.joining(", "));
        return receivers.isEmpty() ? "" : receivers + " to accept the slices that are handed over to them";
    }

    /** All moves so far, in the order of clocks. */
    List<ServerReport.Move> done() {
        return List.copyOf(done);
    }
}
