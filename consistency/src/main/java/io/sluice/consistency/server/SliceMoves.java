package io.sluice.consistency.server;

import io.sluice.consistency.membership.CrewChange;
import io.sluice.consistency.membership.CrewHistory;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.wire.LivePlacement;
import io.sluice.consistency.wire.StateReceiver;
import io.sluice.consistency.wire.StateSender;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A server's part in the coming and going of servers (decision 37). Each of its tables goes over to other slices when
 * it begins the round from which on that is agreed: those that stay keep what is in their sums, those that go are
 * handed over as they are, and of those that come all is awaited. Used by the server's thread.
 */
final class SliceMoves implements StateReceiver.Destination {
    private final Membership membership;
    private final int server;
    private final List<TableSpec> specs;
    private final LivePlacement placements;
    private final TableShards shards;
    private final TableShard[] tables;
    private final StateSender sender;
    private final IntPredicate isExcused;

    /** Told when a table begins to have slices here, or has none any more. */
    private final Runnable changed;

    private final List<SliceMove> done = new ArrayList<>();
    private CrewHistory followed;

    SliceMoves(
            Membership membership,
            List<TableSpec> specs,
            TableShards shards,
            TableShard[] tables,
            StateSender sender,
            IntPredicate isExcused,
            Runnable changed) {
        this.membership = membership;
        this.server = membership.node();
        this.specs = specs;
        this.placements = new LivePlacement(membership, specs);
        this.shards = shards;
        this.tables = tables;
        this.sender = sender;
        this.isExcused = isExcused;
        this.changed = changed;
        this.followed = membership.plan().isOfNewcomer() ? membership.crews().history() : null;
    }

    /** Takes note of what is agreed on. Tables of which nothing was here so far begin before any worker pushes them. */
    void follow() {
        CrewHistory now = membership.crews().history();
        if (now == followed) {
            return;
        }
        int known = null == followed ? 0 : followed.serverChanges().size();
        followed = now;
        for (CrewChange change :
                now.serverChanges().subList(known, now.serverChanges().size())) {
            for (TableSpec spec : specs) {
                riseWith(change, spec);
            }
            changed.run();
        }
    }

    /** One that has slices still, and is to have none before, rises when it is at rest. */
    private void riseWith(CrewChange change, TableSpec spec) {
        TableShard table = tables[spec.id()];
        boolean hasSome = placements.at(change.clock()).slicesOf(spec.id(), server).length > 0;
        if (table.isAtRest() && hasSome) {
            table.rise(change.clock());
        }
    }

    /** What is agreed on, as far as tables have been told of it. */
    CrewHistory followed() {
        follow();
        return followed;
    }

    /** Whether it is not known yet who owns what in a round; to be asked before {@link #gains}. */
    boolean isUndecided(long round) {
        return membership.crews().isHeld(round);
    }

    /** Whether a slice that is not here is here in a round. */
    boolean gains(TableShard table, int slice, long round) {
        return slice < table.spec().slices() && isOwner(server, table.spec().id(), slice, round);
    }

    /**
     * A slice is taken once the round has begun here from which on it is owned here. Pushes for it wait until it is in,
     * so each float is added in the order in which it always is.
     */
    @Override
    public StateReceiver.Admission admit(int from, TableSpec spec, int slice, long version) {
        long round = version + 1;
        boolean undecided = isUndecided(round); // asked first, or the answer might come in between
        boolean moves = round > 1
                && from != server
                && isOwner(server, spec.id(), slice, round)
                && isOwner(from, spec.id(), slice, version);
        if (!moves) {
            return undecided ? StateReceiver.Admission.LATER : StateReceiver.Admission.DROP;
        }
        TableShard table = tables[spec.id()];
        if (table.version() < version || !table.begins(round)) {
            return StateReceiver.Admission.LATER;
        }
        int position = table.position(slice);
        return position >= 0 && table.awaits(position) ? StateReceiver.Admission.TAKE : StateReceiver.Admission.DROP;
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
        // Each slice counts when it is in.
    }

    private boolean isOwner(int who, int table, int slice, long round) {
        Placement then = placements.at(round);
        follow(); // behind that: what it has taken in tables have to be told
        return then.owner(table, slice) == who;
    }

    /** A table begins the first round of a change: its slices are those of that round from now on. */
    void migrate(TableShard table, CrewChange change) {
        follow();
        TableSpec spec = table.spec();
        long round = change.clock();
        Placement after = placements.at(round);
        int[] slices = after.slicesOf(spec.id(), server);
        TablePart before = table.part();
        if (Arrays.equals(slices, before.slices())) {
            return;
        }
        shards.shardElements(specs.stream()
                .mapToLong(each -> TableShards.elements(each, after.slicesOf(each.id(), server)))
                .sum());
        TablePart part = shards.part(spec, slices, round - 1);
        int[] missing = part.takeOver(before);
        for (int worker = 0; worker < membership.plan().settings().workerPlaces(); worker++) {
            if (isExcused.test(worker) || !followed.has(worker, round)) {
                part.sums().excuse(worker);
            }
        }
        table.migrate(part, missing);
        for (CrewChange later : followed.serverChanges()) {
            if (later.clock() > round) {
                riseWith(later, spec);
            }
        }
        int went = 0;
        for (int other = 0; other < membership.plan().settings().serverPlaces(); other++) {
            int receiver = other;
            int[] leaving = IntStream.range(0, before.slices().length)
                    .filter(position ->
                            receiver != server && after.owner(spec.id(), before.slices()[position]) == receiver)
                    .toArray();
            if (leaving.length > 0) {
                Incarnation to = new Incarnation(other, membership.attendance().life(other));
                sender.send(to, before.load(spec, round - 1, leaving, before.stores()));
                went += leaving.length;
            }
        }
        note(new SliceMove(round, missing.length, went));
        changed.run();
    }

    /** All tables of a change make one move. */
    private void note(SliceMove move) {
        for (int i = 0; i < done.size(); i++) {
            SliceMove other = done.get(i);
            if (other.clock() == move.clock()) {
                done.set(i, new SliceMove(move.clock(), other.came() + move.came(), other.went() + move.went()));
                return;
            }
        }
        done.add(move);
    }

    /** Servers that have yet to take what they are handed, in words; empty if there are none. */
    String awaited() {
        String receivers = IntStream.range(0, membership.plan().settings().serverPlaces())
                .filter(sender::isSendingTo)
                .mapToObj(other -> "server " + other + " at "
                        + membership.attendance().seat(other).place().endpoint())
                .collect(Collectors.joining(", "));
        return receivers.isEmpty() ? "" : receivers + " to take the slices that they are handed";
    }

    /** What has moved so far, in the order of clocks. */
    List<SliceMove> done() {
        return List.copyOf(done);
    }
}
