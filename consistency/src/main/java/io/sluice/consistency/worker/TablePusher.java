package io.sluice.consistency.worker;

import io.sluice.codecs.Block;
import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.Protocol;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.filter.DenseFilter;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterSite;
import java.util.Arrays;
import java.util.List;

/**
 * The way of an update out of a worker: slice by slice through the filter, into a frame, to the slice's server.
 *
 * <p>Large tables go in lanes, if the worker has more than one: slice s in lane s modulo their number, each with a
 * filter of its own, the first on the trainer's thread and the others on threads of theirs.
 */
final class TablePusher implements AutoCloseable {
    private static final long START = 0;

    /** A table has to have so many slices for each lane, or waking the lanes costs more than they save. */
    private static final int MIN_SLICES_PER_LANE = 16;

    private final WorkerLinks links;
    private final Kernels kernels;
    private final WorkerStats stats;
    private final FrameWriter writer;

    /** By the tables' ids, then by lane. */
    private final UpdateFilter[][] filters;

    /** All but the first lane. */
    private final FilterLane[] lanes;

    private final FrameBuffer frame;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private final Block block = new Block();

    TablePusher(WorkerLinks links, List<TableSpec> specs, Kernels kernels, WorkerStats stats, int laneCount) {
        this.links = links;
        this.kernels = kernels;
        this.stats = stats;
        ClusterSettings settings = links.membership().plan().settings();
        this.writer = links.writer();
        this.frame = FrameBuffer.forDataFrames(settings.sliceElements());
        this.filters = new UpdateFilter[specs.size()][];
        long elements = specs.stream().mapToLong(TableSpec::elements).sum();
        boolean usesLanes = false;
        for (TableSpec spec : specs) {
            int used = spec.slices() >= laneCount * MIN_SLICES_PER_LANE ? laneCount : 1;
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

    /** Tells every server of all tables. */
    void declare(List<TableSpec> specs) {
        for (int server = 0; server < links.servers(); server++) {
            for (TableSpec spec : specs) {
                int length = writer.declaration(small.buffer(), spec, specs.size());
                links.channel(server).send(small.buffer(), length);
            }
        }
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
                filter.filter(values, 0, table.residual(), offset(spec, slice), values.length, START, wrapped());
                sendUncounted(table, slice, frame, block);
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
        if (filters[table.spec().id()].length == 1) {
            pushAlone(table, update, round);
        } else {
            pushInLanes(table, update, round);
        }
        close(table, round);
        stats.onPush(links.clock().nanoTime() - stats.waitNs() - startNs);
    }

    private void pushAlone(Table table, Update update, long round) {
        int slices = table.spec().slices();
        for (int slice = 0; slice < slices; slice++) {
            filter(0, table, update, slice, round, wrapped());
            send(table, slice, frame, block);
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
                    filter(0, table, update, slice, round, wrapped());
                    send(table, slice, frame, block);
                } else {
                    FilterLane lane = lanes[slice % count - 1];
                    send(table, slice, lane.frame(), lane.await());
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
        UpdateFilter filter = filters[spec.id()][lane];
        int elements = spec.sliceLength(slice);
        if (null == update) {
            filter.drain(table.residual(), offset(spec, slice), elements, round, out);
        } else {
            update.filter(filter, spec.sliceStart(slice), table.residual(), elements, round, out);
        }
    }

    private Block wrapped() {
        return block.wrap(frame);
    }

    private void send(Table table, int slice, FrameBuffer from, Block filtered) {
        stats.onSlice(table.spec().sliceLength(slice), filtered.count());
        sendUncounted(table, slice, from, filtered);
    }

    private void sendUncounted(Table table, int slice, FrameBuffer from, Block filtered) {
        if (0 == filtered.count()) {
            return; // the mark says so
        }
        PushChannel channel = links.channel(table.owner(slice));
        int id = table.spec().id();
        channel.send(from.buffer(), writer.data(from, filtered, id, slice, channel.ledger(id)));
    }

    private void close(Table table, long round) {
        int id = table.spec().id();
        for (int server = 0; server < links.servers(); server++) {
            if (table.intake().owns(server)) {
                PushChannel channel = links.channel(server);
                ClockLedger ledger = channel.ledger(id);
                channel.send(small.buffer(), writer.mark(small.buffer(), id, ledger));
                ledger.open(round + 1);
            }
        }
        table.pushed(round);
        float threshold = 0;
        for (UpdateFilter filter : filters[id]) {
            threshold = Math.max(threshold, filter.threshold(round));
        }
        stats.onThreshold(threshold);
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
