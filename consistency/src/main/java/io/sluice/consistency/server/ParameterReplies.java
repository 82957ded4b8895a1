package io.sluice.consistency.server;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The sink of the push-pull protocol. A slice's sum is added to the server's parameters. Each worker that requests them
 * receives all parameters of the table at this server, dense, in separate frames and in the cluster's order. In that
 * order, the change of a slice counts as the greatest element of the last added sum.
 */
final class ParameterReplies implements RoundSink {
    private static final long NOT_ASKED = -1;

    private final TableSpec spec;
    private final int[] owned;
    private final SliceStore sums;
    private final SliceStore parameters;
    private final Kernels kernels;
    private final FrameWriter writer;
    private final ReplyLines lines;
    private final int firstSlot;
    private final SliceRanker ranker;
    private final ShardStats stats;
    private final Block block = new Block();
    private final float[] changes;
    private final long[] wanted;
    private final boolean[] inFlight;
    private final ClockLedger[] ledgers;
    private long version = -1;

    ParameterReplies(
            TableSpec spec,
            int[] owned,
            SliceStore sums,
            SliceStore parameters,
            Kernels kernels,
            FrameWriter writer,
            ReplyLines lines,
            SliceRanker ranker,
            ShardStats stats) {
        this.spec = spec;
        this.owned = owned;
        this.sums = sums;
        this.parameters = parameters;
        this.kernels = kernels;
        this.writer = writer;
        this.lines = lines;
        this.firstSlot = lines.register(this, owned.length + 1);
        this.ranker = ranker;
        this.stats = stats;
        this.changes = new float[owned.length];
        this.wanted = new long[lines.workers()];
        Arrays.fill(wanted, NOT_ASKED);
        this.inFlight = new boolean[lines.workers()];
        this.ledgers = new ClockLedger[lines.workers()];
        Arrays.setAll(ledgers, worker -> new ClockLedger(0));
    }

    @Override
    public void finalise(int slice, long round) {
        int elements = sums.length(slice);
        long sum = address(sums, slice, "the sum");
        changes[slice] = ranker.weight(sum, elements);
        if (!kernels.add().dense(sum, elements, address(parameters, slice, "the parameters"))) {
            throw notFinite(slice, round);
        }
        sums.clear(slice);
    }

    private ClusterException notFinite(int slice, long round) {
        NotFiniteException e = NotFiniteException.in(
                parameters.segment(),
                parameters.offset(slice),
                parameters.length(slice),
                i -> sums.segment().get(ValueLayout.JAVA_FLOAT, sums.offset(slice) + 4L * i));
        return KeptParameters.notFinite(parameters, slice, round, e);
    }

    private static long address(SliceStore store, int slice, String what) {
        return OffHeap.address(store.segment(), store.offset(slice), store.length(slice), what);
    }

    @Override
    public boolean closeRound(long round) {
        version = round;
        return true;
    }

    @Override
    public boolean onPull(int worker, long wantedVersion) {
        wanted[worker] = wantedVersion;
        return true;
    }

    /** Queues requested parameters whose version is complete. */
    @Override
    public int work() {
        int begun = 0;
        for (int worker = 0; worker < wanted.length; worker++) {
            if (NOT_ASKED != wanted[worker] && !inFlight[worker] && version >= wanted[worker]) {
                answer(worker);
                begun++;
            }
        }
        return begun;
    }

    private void answer(int worker) {
        inFlight[worker] = true;
        ledgers[worker].open(version);
        ReplyLine line = lines.line(worker);
        for (int slice = 0; slice < owned.length; slice++) {
            line.put(firstSlot + slice, spec.id(), rank(slice));
        }
        line.putRoundCommit(firstSlot + owned.length, spec.id());
    }

    private long rank(int slice) {
        float magnitude = ranker.compares()
                ? ranker.weight(address(parameters, slice, "the parameters"), parameters.length(slice))
                : 0;
        return ranker.rank(spec.id(), owned[slice], version, changes[slice], magnitude);
    }

    /** Writes the frame of a slot: a slice or, after the last slice, the round commit. */
    int write(int worker, int slot, FrameBuffer frame) {
        int slice = slot - firstSlot;
        ClockLedger ledger = ledgers[worker];
        if (slice == owned.length) {
            return writer.toWorker(worker).roundCommit(frame.buffer(), spec.id(), ledger);
        }
        int elements = parameters.length(slice);
        int bytes = elements * Float.BYTES;
        frame.room(block).set(BlockFormat.DENSE, ValueType.F32, elements, elements, bytes);
        MemorySegment.copy(parameters.segment(), parameters.offset(slice), block.segment(), block.offset(), bytes);
        return writer.toWorker(worker).data(frame, block, spec.id(), owned[slice], ledger);
    }

    /** Records that the link has accepted a slot's frame; the round commit completes the reply. */
    void onSent(int worker, int slot) {
        if (slot - firstSlot == owned.length) {
            wanted[worker] = NOT_ASKED;
            inFlight[worker] = false;
        } else {
            stats.onReply();
        }
    }
}
