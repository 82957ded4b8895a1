package io.sluice.consistency.wire;

import io.sluice.messaging.outbox.BarrierQueue;

/**
 * Slices of which a part may be sent before its clock ends, the most significant first (Boesen, section 3.3.2). Each
 * slice is queued once at most, and is ranked again as often as it changes, without a search. A slice that has been
 * overtaken four times as often as there are slices is sent first.
 *
 * <p>For one thread. Allocates nothing after construction.
 */
public final class SignificantSlices {
    /** Stands for no slice. */
    public static final int NONE = BarrierQueue.NONE;

    private static final long PATIENCE = 4;

    private final BarrierQueue queue;
    private final boolean[] waiting;
    private final long[] turns;
    private long turn = 1;

    /**
     * Creates an empty set.
     *
     * @param slices number of slices, numbered from 0
     */
    public SignificantSlices(int slices) {
        int room = Math.max(slices, 1);
        this.queue = new BarrierQueue(room, 0, PATIENCE * room);
        this.waiting = new boolean[room];
        this.turns = new long[room];
    }

    /** Whether the set is empty. */
    public boolean isEmpty() {
        return 0 == queue.size();
    }

    /**
     * The round of a slice for orders that use it: it rises each time the slice is sent, so that round-robin cycles
     * within a clock. A slice that had nothing to send for a while does not catch up.
     *
     * @param slice number of the slice
     * @return from 1
     */
    public long turn(int slice) {
        return Math.max(turns[slice], turn);
    }

    /**
     * Adds a slice, or changes its rank if it is in the queue.
     *
     * @param slice number of the slice
     * @param priority slices with a smaller one are sent sooner
     */
    public void offer(int slice, long priority) {
        if (waiting[slice]) {
            queue.reprioritise(slice, priority);
            return;
        }
        waiting[slice] = true;
        queue.put(slice, BarrierQueue.NO_LANE, priority);
    }

    /**
     * Removes the most significant slice.
     *
     * @return number of the slice, or {@link #NONE}
     */
    public int take() {
        int slice = queue.first();
        if (NONE != slice) {
            turn = turn(slice);
            turns[slice] = turn + 1;
            drop(slice);
        }
        return slice;
    }

    /**
     * Removes a slice if it is in the set.
     *
     * @param slice number of the slice
     */
    public void drop(int slice) {
        if (waiting[slice]) {
            waiting[slice] = false;
            queue.remove(slice);
        }
    }
}
