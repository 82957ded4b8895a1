package io.sluice.consistency.clock;

import io.sluice.consistency.spi.ConsistencyRule;
import java.util.Arrays;

/**
 * The last round that each worker has pushed, for each slice of a server's shard.
 *
 * <p>Slices are finalised one by one, so each has its own row. Used by one thread; allocates nothing after
 * construction.
 */
public final class SliceClocks implements ConsistencyRule.Clocks {
    private static final long NOTHING_PUSHED = -1;

    /**
     * A number above every round. An excused worker's entry is the sum of this and the last round that it has pushed.
     */
    private static final long EXCUSED = 1L << 62;

    private final int workers;
    private final long[] rounds;

    /**
     * Creates clocks at which all workers have pushed the same.
     *
     * @param slices  number of slices
     * @param workers number of workers
     * @param round   the last round that all have pushed; -1 for none
     */
    public SliceClocks(int slices, int workers, long round) {
        this.workers = workers;
        this.rounds = new long[Math.multiplyExact(slices, workers)];
        Arrays.fill(rounds, round);
    }

    @Override
    public int workers() {
        return workers;
    }

    /**
     * Number of slices.
     *
     * @return the number
     */
    public int slices() {
        return rounds.length / workers;
    }

    /**
     * The last round that a worker has pushed for a slice.
     *
     * @param slice  number of the slice in the shard
     * @param worker number of the worker
     * @return the round, or -1; for an excused worker a number above all rounds
     */
    public long get(int slice, int worker) {
        return rounds[slice * workers + worker];
    }

    /**
     * Records that a worker has pushed its part of a round, unless it is already recorded.
     *
     * @param slice  number of the slice in the shard
     * @param worker number of the worker
     * @param round  the round
     */
    public void raise(int slice, int worker, long round) {
        int i = slice * workers + worker;
        rounds[i] = Math.max(rounds[i], round);
    }

    /**
     * Stops waiting for the pushes of a worker that does not take part yet, or has left: for this slice it counts as
     * having pushed every round. At least one worker must remain, or rounds would never end.
     *
     * @param slice  number of the slice in the shard
     * @param worker number of the worker
     */
    public void excuse(int slice, int worker) {
        int i = slice * workers + worker;
        if (!isExcused(i)) {
            rounds[i] += EXCUSED;
        }
    }

    /**
     * Awaits a worker's pushes for a slice from now on, whether it was excused or not.
     *
     * @param slice  number of the slice in the shard
     * @param worker number of the worker
     * @param round  last round that counts as pushed
     */
    public void admit(int slice, int worker, long round) {
        rounds[slice * workers + worker] = round;
    }

    /** Whether an entry is that of an excused worker; without a push, it is {@code EXCUSED - 1}. */
    private boolean isExcused(int i) {
        return rounds[i] >= EXCUSED + NOTHING_PUSHED;
    }

    @Override
    public int living(int slice) {
        return livingAt(slice, NOTHING_PUSHED);
    }

    @Override
    public int livingAt(int slice, long round) {
        int count = 0;
        int row = slice * workers;
        for (int i = row; i < row + workers; i++) {
            count += rounds[i] >= round && !isExcused(i) ? 1 : 0;
        }
        return count;
    }

    @Override
    public long min(int slice) {
        return minBelow(slice, workers);
    }

    /**
     * The last round that all workers before one have pushed for a slice, which decides when a sum in worker order may
     * continue.
     *
     * @param slice  number of the slice in the shard
     * @param worker first worker to ignore
     * @return lowest entry before it; {@link Long#MAX_VALUE} for worker 0
     */
    public long minBelow(int slice, int worker) {
        long min = Long.MAX_VALUE;
        int row = slice * workers;
        for (int i = row; i < row + worker; i++) {
            min = Math.min(min, rounds[i]);
        }
        return min;
    }

    @Override
    public long roundsPushed(int slice, long round) {
        long sum = 0;
        int row = slice * workers;
        for (int i = row; i < row + workers; i++) {
            long pushed = isExcused(i) ? Math.max(rounds[i] - EXCUSED, round) : rounds[i];
            sum += pushed + 1;
        }
        return sum;
    }
}
