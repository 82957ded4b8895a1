package io.sluice.messaging.outbox;

import io.sluice.messaging.spi.SliceOrder;
import java.util.Arrays;

/**
 * The order in which waiting slots leave: by urgency, but never before an earlier fence of their lane.
 *
 * <p>A lane, such as a table, has an order of its own: a fence closes the slots that were put into the lane before it.
 * The fence leaves as soon as all of these slots have left; later slots of the lane wait for the fence. Slots of other
 * lanes may overtake.
 *
 * <p>For one thread. Allocates nothing.
 */
public final class BarrierQueue {
    /** Stands for no slot. */
    public static final int NONE = IndexedPriorityQueue.NONE;

    /** The lane of slots that no fence delays. */
    public static final int NO_LANE = -1;

    /** A priority above every priority of a {@link SliceOrder}. */
    public static final long AT_ONCE = Long.MIN_VALUE;

    private static final long FIRST_TIER = Long.MIN_VALUE;

    private final IndexedPriorityQueue ready;
    private final int[] lanes;
    private final long[] tiers;
    private final long[] priorities;
    private final boolean[] fences;
    private final int[] behind;
    private final int[] open;
    private final int[] fenceOf;
    private final int[] firstHeld;
    private final int[] lastHeld;
    private int size;

    /**
     * Creates an empty queue.
     *
     * @param slots number of slots, which are numbered from 0
     * @param lanes number of lanes, which are numbered from 0
     * @param patience number of slots that may overtake a slot before it becomes first at any priority, 1 or more
     */
    public BarrierQueue(int slots, int lanes, long patience) {
        if (slots < 1 || lanes < 0 || patience < 1) {
            throw new IllegalArgumentException("a queue of " + slots + " slots, " + lanes + " lanes and a patience of "
                    + patience + ", expected 1, 0 and 1 or more");
        }
        this.ready = new IndexedPriorityQueue(slots, patience);
        this.lanes = new int[slots];
        this.tiers = new long[slots];
        this.priorities = new long[slots];
        this.fences = new boolean[slots];
        this.behind = new int[slots];
        this.open = new int[lanes];
        this.fenceOf = filled(lanes);
        this.firstHeld = filled(lanes);
        this.lastHeld = filled(lanes);
    }

    private static int[] filled(int length) {
        int[] array = new int[length];
        Arrays.fill(array, NONE);
        return array;
    }

    /** Number of slots in the queue, including those behind fences. */
    public int size() {
        return size;
    }

    /**
     * Puts a slot into the queue.
     *
     * @param slot slot that is not in it
     * @param lane lane of the slot, or {@link #NO_LANE}
     * @param priority the smaller, the sooner
     */
    public void put(int slot, int lane, long priority) {
        put(slot, lane, 0, priority);
    }

    /**
     * Puts a slot into the queue, after all slots of lower tiers, including later ones.
     *
     * @param slot slot that is not in it
     * @param lane lane of the slot, or {@link #NO_LANE}
     * @param tier lower tiers are first, regardless of the priority
     * @param priority priority among those of the tier: the smaller, the sooner
     */
    public void put(int slot, int lane, long tier, long priority) {
        enter(slot, lane, tier, priority, false);
    }

    /**
     * Puts a fence into the queue.
     *
     * @param slot slot that is not in it
     * @param lane lane that it closes
     */
    public void fence(int slot, int lane) {
        enter(slot, lane, FIRST_TIER, AT_ONCE, true);
    }

    private void enter(int slot, int lane, long tier, long priority, boolean fence) {
        size++;
        lanes[slot] = lane;
        tiers[slot] = tier;
        priorities[slot] = priority;
        fences[slot] = fence;
        if (lane == NO_LANE) {
            ready.add(slot, tier, priority);
        } else if (fenceOf[lane] != NONE) {
            hold(slot, lane);
        } else {
            pass(slot, lane);
        }
    }

    private void hold(int slot, int lane) {
        behind[slot] = NONE;
        if (lastHeld[lane] == NONE) {
            firstHeld[lane] = slot;
        } else {
            behind[lastHeld[lane]] = slot;
        }
        lastHeld[lane] = slot;
    }

    /** Lets a slot into the open part of its lane. */
    private void pass(int slot, int lane) {
        if (!fences[slot]) {
            open[lane]++;
            ready.add(slot, tiers[slot], priorities[slot]);
            return;
        }
        fenceOf[lane] = slot;
        if (open[lane] == 0) {
            ready.add(slot, FIRST_TIER, AT_ONCE);
        }
    }

    /**
     * The first slot, which stays in the queue.
     *
     * @return a slot, or {@link #NONE}
     */
    public int first() {
        return ready.first();
    }

    /**
     * The slot that would be first if another one were not in the queue.
     *
     * @param other slot to pass over
     * @return a slot, or {@link #NONE}
     */
    public int firstBut(int other) {
        return ready.firstBut(other);
    }

    /**
     * Removes a slot.
     *
     * @param slot slot that {@link #first} or {@link #firstBut} has returned, or any slot in {@link #NO_LANE}
     */
    public void remove(int slot) {
        size--;
        ready.remove(slot);
        int lane = lanes[slot];
        if (lane == NO_LANE) {
            return;
        }
        if (fences[slot]) {
            fenceOf[lane] = NONE;
            letHeldPass(lane);
        } else if (--open[lane] == 0 && fenceOf[lane] != NONE) {
            ready.add(fenceOf[lane], FIRST_TIER, AT_ONCE);
        }
    }

    private void letHeldPass(int lane) {
        while (firstHeld[lane] != NONE && fenceOf[lane] == NONE) {
            int slot = firstHeld[lane];
            firstHeld[lane] = behind[slot];
            if (firstHeld[lane] == NONE) {
                lastHeld[lane] = NONE;
            }
            pass(slot, lane);
        }
    }

    /**
     * Changes the priority of a slot in the queue but not its tier. Has no effect on a fence.
     *
     * @param slot slot in the queue
     * @param priority the smaller, the sooner
     */
    public void reprioritise(int slot, long priority) {
        if (fences[slot]) {
            return;
        }
        priorities[slot] = priority;
        if (ready.contains(slot)) {
            ready.reprioritise(slot, priority);
        }
    }
}
