package io.sluice.consistency.worker;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.terms.ClusterException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * A thread that filters in parallel with the trainer's thread. It filters the slices of its lane in ascending order, a
 * few frames ahead of the trainer's thread, which sends all slices in ascending order. The sent frames therefore do not
 * depend on the speed of the threads.
 *
 * <p>The trainer's thread calls all methods. Between {@link #end} and {@link #begin} the lane touches nothing.
 * Allocates nothing after construction.
 */
final class FilterLane implements AutoCloseable {
    /** Maximum number of frames that wait for the trainer's thread; a power of two. */
    private static final int AHEAD = 4;

    private final int lane;
    private final int lanes;
    private final IdleStrategy laneIdle;
    private final IdleStrategy trainerIdle;
    private final FrameBuffer[] frames = new FrameBuffer[AHEAD];
    private final Block[] blocks = new Block[AHEAD];
    private final Thread thread;

    private SlicePass pass;
    private int slices;
    private Update update;
    private long round;
    private Throwable failure;

    /** Number of passes begun; written by the trainer's thread. */
    private volatile long begun;

    /** Number of filtered slices that were sent; written by the trainer's thread. */
    private volatile long taken;

    private volatile boolean abandoned;
    private volatile boolean closed;

    /** Number of passes ended; written by the lane's thread. */
    private volatile long ended;

    /** Number of slices filtered; written by the lane's thread. */
    private volatile long filtered;

    /**
     * Starts the thread, which waits.
     *
     * @param lane          number of the lane: it filters slices whose number modulo {@code lanes} is this
     * @param lanes         number of lanes, the trainer's included
     * @param sliceElements elements of a whole slice
     * @param laneIdle      idle strategy of the lane's thread
     * @param trainerIdle   idle strategy of the trainer's thread
     */
    FilterLane(int lane, int lanes, int sliceElements, IdleStrategy laneIdle, IdleStrategy trainerIdle) {
        this.lane = lane;
        this.lanes = lanes;
        this.laneIdle = laneIdle;
        this.trainerIdle = trainerIdle;
        for (int i = 0; i < AHEAD; i++) {
            frames[i] = FrameBuffer.forDataFrames(sliceElements);
            blocks[i] = new Block();
        }
        thread = Thread.ofPlatform().daemon().name("sluice-filter-lane-" + lane).start(this::run);
    }

    /** Starts to filter an update. */
    void begin(SlicePass passOfTable, int slicesOfTable, Update updateToFilter, long roundToFilter) {
        pass = passOfTable;
        slices = slicesOfTable;
        update = updateToFilter;
        round = roundToFilter;
        begun = begun + 1;
        LockSupport.unpark(thread);
    }

    /** Waits for the lane's next slice. Its block and frame may be used until {@link #release()}. */
    Block await() {
        trainerIdle.reset();
        while (filtered == taken) {
            if (ended == begun && filtered == taken) {
                if (failure instanceof ClusterException e) {
                    throw e;
                }
                throw new IllegalStateException("filter lane " + lane + " ended before its slices did", failure);
            }
            trainerIdle.idle();
        }
        return blocks[next()];
    }

    private int next() {
        return (int) taken & AHEAD - 1;
    }

    void release() {
        taken = taken + 1;
    }

    /** Waits until the lane has stopped; slices that it has not filtered yet stay unfiltered. */
    void end() {
        abandoned = true;
        trainerIdle.reset();
        while (ended != begun) {
            trainerIdle.idle();
        }
        taken = filtered;
        abandoned = false;
    }

    @Override
    public void close() {
        end();
        closed = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            if (begun == ended) {
                LockSupport.park(this);
            } else {
                filterAll();
                ended = begun;
            }
        }
    }

    private void filterAll() {
        try {
            for (int slice = lane; slice < slices && hasRoom(); slice += lanes) {
                int at = (int) filtered & AHEAD - 1;
                pass.filter(lane, update, slice, round, frames[at].room(blocks[at]));
                filtered = filtered + 1;
            }
        } catch (RuntimeException | Error e) {
            failure = e; // thrown on the trainer's thread, which waits for this slice
        }
    }

    /** Waits until the lane may filter one more slice ahead; false if the update is abandoned. */
    private boolean hasRoom() {
        laneIdle.reset();
        while (filtered - taken == AHEAD && !abandoned) {
            laneIdle.idle();
        }
        return !abandoned;
    }

    /** Filters one slice of an update. */
    @FunctionalInterface
    interface SlicePass {
        /** Called on the lane's thread, for its own slices alone. */
        void filter(int lane, Update update, int slice, long round, Block out);
    }
}
