package io.sluice.consistency.worker;

import io.sluice.codecs.Block;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.DenseFilter;
import io.sluice.filter.NotFiniteException;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterSite;
import io.sluice.messaging.outbox.Outbox;
import java.util.Arrays;
import java.util.List;

/**
 * The way of an update out of a worker: slice by slice through the filter, into the queue of the slice's server.
 *
 * <p>Large tables go in lanes, if the worker has more than one and nothing goes out early: slice s in lane s modulo
 * their number, each with a filter of its own, the first on the trainer's thread and the others on threads of theirs.
 * What those have filtered is copied into the queue.
 */
final class TablePusher implements AutoCloseable {
    private static final long START = 0;

    /** A table has to have so many slices for each lane, or waking the lanes costs more than they save. */
    private static final int MIN_SLICES_PER_LANE = 16;

    private final WorkerLinks links;
    private final Kernels kernels;
    private final WorkerStats stats;

    /** By the tables' ids, then by lane. */
    private final UpdateFilter[][] filters;

    /** All but the first lane. */
    private final FilterLane[] lanes;

    /** By the tables' ids, the key of the first slice: keys number the slices of all tables. */
    private final int[] firstKeys;

    private final SliceRanker ranker;
    private final ParameterMagnitudes parameters;
    private final BlockAccumulator accumulator;

    /** Null if nothing goes out before its clock ends. */
    private final EarlyPushes early;

    private final Introductions introductions;
    private final boolean merging;

    /** By lane, what keeps nothing back, for the last round of a worker that goes; made when that comes. */
    private UpdateFilter[] flushing = new UpdateFilter[0];

    private long lastRound = Long.MAX_VALUE;

    /** Whether all of a round leaves before any of the next: servers that sum in worker order rely on it. */
    private final boolean roundsInOrder;

    TablePusher(
            WorkerLinks links,
            List<TableSpec> specs,
            Kernels kernels,
            WorkerStats stats,
            int laneCount,
            EarlyPushes early) {
        this.early = early;
        this.links = links;
        this.kernels = kernels;
        this.stats = stats;
        ClusterSettings settings = links.membership().plan().settings();
        this.introductions = new Introductions(links, specs);
        this.ranker = new SliceRanker(settings.newSliceOrder(), kernels, settings.sliceElements());
        this.parameters = ranker.compares() ? new ParameterMagnitudes(specs, kernels) : null;
        this.accumulator = new BlockAccumulator(kernels);
        // In worker order no update comes while the one before waits, and push-pull is the plain baseline.
        this.merging = settings.queues() && !settings.rule().ordered() && Protocol.PUSH_PULL != settings.protocol();
        this.roundsInOrder = settings.rule().ordered();
        this.firstKeys = new int[specs.size()];
        this.filters = new UpdateFilter[specs.size()][];
        long elements = specs.stream().mapToLong(TableSpec::elements).sum();
        boolean usesLanes = false;
        int keys = 0;
        for (TableSpec spec : specs) {
            firstKeys[spec.id()] = keys;
            keys += spec.slices();
            boolean wide = spec.slices() >= laneCount * MIN_SLICES_PER_LANE;
            int used = wide && null == early ? laneCount : 1;
            filters[spec.id()] = new UpdateFilter[used];
            Arrays.setAll(filters[spec.id()], lane -> newFilter(spec, lane, used, elements));
            usesLanes |= used > 1;
        }
        this.lanes = new FilterLane[usesLanes ? laneCount - 1 : 0];
        Arrays.setAll(
                lanes,
                i -> new FilterLane(
                        this::filter, i + 1, laneCount, settings.sliceElements(), links.idle(), links.idle()));
    }

    private UpdateFilter newFilter(TableSpec spec, int lane, int used, long workerElements) {
        ClusterSettings settings = links.membership().plan().settings();
        if (Protocol.PUSH_PULL == settings.protocol()) {
            return new DenseFilter(kernels);
        }
        long elements = 0;
        for (int slice = lane; slice < spec.slices(); slice += used) {
            elements += spec.sliceLength(slice);
        }
        return settings.filterPolicy().create(site(spec, elements, workerElements));
    }

    private FilterSite site(TableSpec spec, long laneElements, long workerElements) {
        return new FilterSite(
                kernels,
                links.membership().plan().settings().values(),
                laneElements,
                spec.elements(),
                spec.sliceElements(),
                workerElements,
                links.feedback());
    }

    /** Says which round is the last that this worker pushes: in that all leaves that it has kept back. */
    void lastRound(long round) {
        if (round != lastRound && Long.MAX_VALUE != round) {
            flushing = new UpdateFilter[1 + lanes.length];
            Arrays.setAll(flushing, _ -> ValueBoundedFilter.exact(kernels));
        }
        lastRound = round;
    }

    /** Tells servers of all tables. */
    Introductions introductions() {
        return introductions;
    }

    /**
     * Pushes the first parameters of a table as its update of round 0: in full, and in f32 whatever the cluster sends.
     */
    void pushStart(Table table, Initialiser initialiser) {
        if (Initialiser.ZEROS != initialiser) {
            TableSpec spec = table.spec();
            UpdateFilter filter = ValueBoundedFilter.exact(kernels);
            for (int slice = 0; slice < spec.slices(); slice++) {
                float[] values = new float[spec.sliceLength(slice)];
                initialiser.fill(spec.name(), spec.sliceStart(slice), values);
                if (!Float.isFinite(kernels.values().maxAbs(values, 0, values.length))) {
                    throw new IllegalArgumentException("the initialiser gives table " + spec.name()
                            + " values that are not finite, at or after element " + spec.sliceStart(slice));
                }
                PushChannel channel = links.channel(table.owner(slice));
                int slot = channel.claim();
                Block block = channel.newBlock(slot);
                filter.filter(values, 0, table.residual(), offset(spec, slice), values.length, START, block);
                publish(channel, slot, table, slice, START);
            }
        }
        close(table, START);
    }

    /**
     * Pushes a table's update of one round and closes the round.
     *
     * @param update one float per parameter, or null to push what the residual holds
     */
    void push(Table table, Update update, long round) {
        long startNs = links.clock().nanoTime() - stats.waitNs();
        follow(table, round);
        if (filters[table.spec().id()].length == 1) {
            pushAlone(table, update, round);
        } else {
            pushInLanes(table, update, round);
        }
        close(table, round);
        stats.onPush(links.clock().nanoTime() - stats.waitNs() - startNs);
    }

    /** Adds a part of a table's update to what its round will push, and sends early what the budget has room for. */
    void accumulate(Table table, Update update, long round) {
        long startNs = links.clock().nanoTime();
        TableSpec spec = table.spec();
        for (int slice = 0; slice < spec.slices(); slice++) {
            try {
                update.addTo(table.residual(), kernels, spec.sliceStart(slice), spec.sliceLength(slice));
            } catch (NotFiniteException e) {
                throw notFinite(spec, slice, update, round, e);
            }
            if (null != early) {
                early.changed(table, slice, round);
            }
        }
        if (null != early) {
            links.invoke();
            early.send();
        }
        stats.onPush(links.clock().nanoTime() - startNs);
    }

    /** Sends early what the budget has room for; returns the number of frames. */
    int sendEarly(long round, long requiredVersion) {
        if (null == early) {
            return 0;
        }
        early.look(round, requiredVersion);
        return early.send();
    }

    /** From some round on slices may be other servers'. */
    private void follow(Table table, long round) {
        introductions.follow();
        table.follow(round, server -> {
            introductions.require(server);
            links.channel(server).begin(table.spec().id(), round);
        });
    }

    private void pushAlone(Table table, Update update, long round) {
        int slices = table.spec().slices();
        for (int slice = 0; slice < slices; slice++) {
            int waiting = merging ? takeBack(table, slice) : Outbox.NONE;
            if (Outbox.NONE == waiting) {
                push(table, slice, update, round);
            } else {
                pushAgain(waiting, table, slice, update, round);
            }
        }
    }

    private void pushInLanes(Table table, Update update, long round) {
        int count = filters[table.spec().id()].length;
        for (FilterLane lane : lanes) {
            lane.begin(table, update, round);
        }
        try {
            int slices = table.spec().slices();
            for (int slice = 0; slice < slices; slice++) {
                if (slice % count == 0) {
                    push(table, slice, update, round);
                } else {
                    FilterLane lane = lanes[slice % count - 1];
                    pushCopy(table, slice, lane.await(), round);
                    lane.release();
                }
            }
        } finally {
            for (FilterLane lane : lanes) {
                lane.end();
            }
        }
    }

    /** The pass of one slice, on the thread of its lane. */
    private void filter(int lane, Table table, Update update, int slice, long round, Block out) {
        TableSpec spec = table.spec();
        UpdateFilter filter = round == lastRound ? flushing[lane] : filters[spec.id()][lane];
        int elements = spec.sliceLength(slice);
        try {
            if (null == update) {
                filter.drain(table.residual(), offset(spec, slice), elements, round, out);
            } else {
                update.filter(filter, spec.sliceStart(slice), table.residual(), elements, round, out);
            }
        } catch (NotFiniteException e) {
            throw notFinite(spec, slice, update, round, e);
        }
    }

    private ClusterException notFinite(TableSpec spec, int slice, Update update, long round, NotFiniteException e) {
        Membership membership = links.membership();
        float given = null == update ? e.added() : update.get(spec.sliceStart(slice) + e.element());
        return membership.fail(
                Failure.NOT_FINITE,
                membership.plan().nameOf(membership.node()) + " was given the update " + given + " for "
                        + spec.at(slice, e.element()) + " in clock " + round + ", which makes " + e.sum()
                        + " of what it has to push, expected finite numbers");
    }

    private void push(Table table, int slice, Update update, long round) {
        PushChannel channel = links.channel(table.owner(slice));
        int slot = channel.claim();
        Block block = channel.newBlock(slot);
        filter(0, table, update, slice, round, block);
        stats.onSlice(table.spec().sliceLength(slice), block.count());
        publish(channel, slot, table, slice, round);
    }

    private void pushCopy(Table table, int slice, Block filtered, long round) {
        stats.onSlice(table.spec().sliceLength(slice), filtered.count());
        if (filtered.count() > 0) {
            PushChannel channel = links.channel(table.owner(slice));
            int slot = channel.claim();
            channel.copyBlock(slot, filtered);
            publish(channel, slot, table, slice, round);
        }
    }

    /**
     * Takes back what of this slice still waits, so that the next update is filtered on top of it and leaves in its
     * place, before its mark: the older round then holds some of a newer one, as the rule allows.
     */
    private int takeBack(Table table, int slice) {
        PushChannel channel = links.channel(table.owner(slice));
        int slot = channel.takeBack(firstKeys[table.spec().id()] + slice);
        if (Outbox.NONE != slot) {
            accumulator.restore(channel.block(slot), table.residual(), offset(table.spec(), slice));
            stats.onTakenBack(channel.block(slot).count(), channel.isPartial(slot));
        }
        return slot;
    }

    private void pushAgain(int slot, Table table, int slice, Update update, long round) {
        PushChannel channel = links.channel(table.owner(slice));
        Block block = channel.newBlock(slot);
        filter(0, table, update, slice, round, block);
        stats.onSlice(table.spec().sliceLength(slice), block.count());
        channel.publishAgain(slot, rank(block, table, slice, round));
    }

    private void publish(PushChannel channel, int slot, Table table, int slice, long round) {
        Block block = channel.block(slot);
        if (0 == block.count()) {
            channel.abandon(slot); // the mark says so
            return;
        }
        int id = table.spec().id();
        long tier = roundsInOrder ? round : 0;
        channel.publish(slot, id, slice, firstKeys[id] + slice, tier, rank(block, table, slice, round));
    }

    private long rank(Block block, Table table, int slice, long round) {
        float magnitude = null == parameters ? 0 : parameters.of(table, slice, round);
        return ranker.rank(block, table.spec().id(), slice, round, magnitude);
    }

    private void close(Table table, long round) {
        int id = table.spec().id();
        for (int server = 0; server < links.servers(); server++) {
            if (table.intake().owns(server)) {
                links.channel(server).publishMark(id);
            }
        }
        if (links.isDirect()) {
            links.settle();
        }
        table.pushed(round);
        float threshold = 0;
        for (UpdateFilter filter : filters[id]) {
            threshold = Math.max(threshold, filter.threshold(round));
        }
        stats.onThreshold(threshold);
        if (null != early) {
            early.closed(table, round, threshold);
        }
    }

    /** Ends the lanes' threads. */
    @Override
    public void close() {
        for (FilterLane lane : lanes) {
            lane.close();
        }
    }

    private static long offset(TableSpec spec, int slice) {
        return spec.sliceStart(slice) * Float.BYTES;
    }
}
