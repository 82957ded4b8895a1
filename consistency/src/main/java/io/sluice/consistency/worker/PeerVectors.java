package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.standard.Multicast;
import io.sluice.filter.OuterProducts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Which vectors of a factor table a worker sends and gets in each clock under protocol peer. If the worker sends
 * something other than what its own replica gets (a part of the batch, or scaled vectors), also keeps the whole
 * batch of the open clock for that replica.
 *
 * <p>For the trainer's thread. Allocates nothing after construction.
 */
final class PeerVectors {
    private final Multicast multicast;
    private final int worker;
    private final int table;
    private final boolean[] chosen;
    private final int[] order;

    /** For each worker, the last clock whose vectors it was sent. */
    private final long[] sent;

    /** For each worker, the last clock whose vectors it has sent to this worker. */
    private final long[] got;

    /**
     * The u vectors of the open clock's whole batch; null, as is {@link #v}, if the replica gets only what this worker
     * sends.
     */
    private final MemorySegment u;

    private final MemorySegment v;
    private final int groups;

    /**
     * Begins after a clock.
     *
     * @param multicast decides which workers get the vectors of a clock
     * @param workers   number of workers
     * @param worker    index of this worker
     * @param shape     declaration of the factor table
     */
    PeerVectors(Multicast multicast, int workers, int worker, FactorTable.Declared shape) {
        this.multicast = multicast;
        this.worker = worker;
        this.table = shape.shape().name().hashCode();
        this.chosen = new boolean[workers];
        this.order = new int[workers];
        this.sent = new long[workers];
        this.got = new long[workers];
        this.groups = shape.groups();
        boolean keeps = multicast.isPartial() && !multicast.isLossless();
        this.u = keeps ? OffHeap.allocate((long) groups * shape.shape().rows() * Float.BYTES) : null;
        this.v = keeps ? OffHeap.allocate((long) groups * shape.shape().columns() * Float.BYTES) : null;
    }

    Multicast multicast() {
        return multicast;
    }

    /** Index of this worker. */
    int worker() {
        return worker;
    }

    /** The worker to which this worker's replica moves in a rotation. */
    int successor() {
        return (worker + 1) % chosen.length;
    }

    /** Keeps the whole batch of the open clock, of which a selection may send a part. */
    void keep(MemorySegment allU, MemorySegment allV) {
        if (null != u) {
            MemorySegment.copy(allU, 0, u, 0, u.byteSize());
            MemorySegment.copy(allV, 0, v, 0, v.byteSize());
        }
    }

    /** Whether this worker's replica gets what {@link #keep} has kept, instead of what is sent. */
    boolean keepsBatch() {
        return null != u;
    }

    /** Adds the kept batch to a matrix; returns whether all elements are finite. */
    boolean addKept(OuterProducts products, MemorySegment matrix) {
        boolean finite = products.add(u, 0, v, 0, groups, matrix);
        VectorBlocks.clear(u, 0, u.byteSize());
        VectorBlocks.clear(v, 0, v.byteSize());
        return finite;
    }

    /** Chooses the receivers of a clock. */
    void begin(long round) {
        multicast.choose(worker, round, table, chosen, order);
        for (int to = 0; to < chosen.length; to++) {
            chosen[to] |= to != worker && isDue(sent[to], round);
        }
    }

    /** Whether a receiver is chosen because it has waited for as long as vectors may. */
    private boolean isDue(long last, long round) {
        return multicast.isLossless() && round - last >= multicast.depth();
    }

    /** Whether the vectors of a clock, the open one or an earlier one, are sent to a worker now. */
    boolean sends(int to, long clock) {
        return chosen[to] && clock > sent[to];
    }

    /** Records that the vectors up to a clock have been sent to the chosen workers. */
    void end(long round) {
        for (int to = 0; to < chosen.length; to++) {
            sent[to] = chosen[to] ? round : sent[to];
        }
    }

    /** The first clock whose vectors this worker may send in a clock. */
    long first(long round) {
        return Math.max(1, round - multicast.depth() + 1);
    }

    /**
     * The first of the clocks whose vectors another worker sends to this worker in a round. The last of them is the
     * clock of the round.
     *
     * @return a later clock if it has sent none; without {@code lossless}, a block without vectors shows that
     */
    long firstGot(int from, long round) {
        if (!multicast.isLossless()) {
            return round;
        }
        multicast.choose(from, round, table, chosen, order);
        if (!chosen[worker] && !isDue(got[from], round)) {
            return round + 1;
        }
        long first = got[from] + 1;
        got[from] = round;
        return first;
    }

    /** Continues after a clock. */
    void continueFrom(long clock) {
        Arrays.fill(sent, clock);
        Arrays.fill(got, clock);
    }
}
