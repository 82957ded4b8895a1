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
import io.sluice.filter.policy.FilterPolicy;
import io.sluice.filter.policy.FilterSite;
import java.util.List;

/** The way of an update out of a worker: slice by slice through the filter, into a frame, to the slice's server. */
final class TablePusher {
    private static final long START = 0;

    private final WorkerLinks links;
    private final Kernels kernels;
    private final WorkerStats stats;
    private final FrameWriter writer;

    /** By the tables' ids. */
    private final UpdateFilter[] filters;

    private final FrameBuffer frame;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private final Block block = new Block();

    TablePusher(WorkerLinks links, List<TableSpec> specs, Kernels kernels, WorkerStats stats) {
        this.links = links;
        this.kernels = kernels;
        this.stats = stats;
        ClusterSettings settings = links.membership().plan().settings();
        this.writer = links.writer();
        this.frame = FrameBuffer.forDataFrames(settings.sliceElements());
        this.filters = new UpdateFilter[specs.size()];
        boolean dense = Protocol.PUSH_PULL == settings.protocol();
        FilterPolicy policy = settings.filterPolicy();
        long elements = specs.stream().mapToLong(TableSpec::elements).sum();
        for (TableSpec spec : specs) {
            filters[spec.id()] = dense ? new DenseFilter(kernels) : policy.create(site(spec, elements));
        }
    }

    private FilterSite site(TableSpec spec, long workerElements) {
        return new FilterSite(
                kernels,
                links.membership().plan().settings().values(),
                spec.elements(),
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
                send(table, slice);
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
        TableSpec spec = table.spec();
        UpdateFilter filter = filters[spec.id()];
        for (int slice = 0; slice < spec.slices(); slice++) {
            long at = offset(spec, slice);
            int elements = spec.sliceLength(slice);
            if (null == update) {
                filter.drain(table.residual(), at, elements, round, wrapped());
            } else {
                update.filter(filter, spec.sliceStart(slice), table.residual(), elements, round, wrapped());
            }
            stats.onSlice(elements, block.count());
            send(table, slice);
        }
        close(table, round);
        stats.onPush(links.clock().nanoTime() - stats.waitNs() - startNs);
    }

    private Block wrapped() {
        return block.wrap(frame);
    }

    private void send(Table table, int slice) {
        if (0 == block.count()) {
            return; // the mark says so
        }
        PushChannel channel = links.channel(table.owner(slice));
        int id = table.spec().id();
        channel.send(frame.buffer(), writer.data(frame, block, id, slice, channel.ledger(id)));
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
        stats.onThreshold(filters[id].threshold(round));
    }

    private static long offset(TableSpec spec, int slice) {
        return spec.sliceStart(slice) * Float.BYTES;
    }
}
