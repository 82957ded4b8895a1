package io.sluice.messaging.outbox;

import io.sluice.codecs.FrameBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Frames that wait for one link, the most urgent first, in memory that is allocated once.
 *
 * <p>One thread, the producer, claims a slot, writes it in place and publishes it; when all slots are taken it gets
 * none and has to wait. Another, the consumer, takes the most urgent one, sends it and releases it. Both may be the
 * same thread. Neither blocks: single-producer single-consumer queues hand slots over, and one compare-and-set decides
 * which thread owns a slot that the producer takes back.
 *
 * <p>There are slots for data and smaller slots for all other frames. Allocates nothing after construction.
 */
public final class Outbox {
    /** Stands for no slot. */
    public static final int NONE = BarrierQueue.NONE;

    /** Stands for the key of a slot that is never taken back. */
    public static final int NO_KEY = -1;

    /** A slot becomes first at any priority after this many times the number of slots have overtaken it. */
    private static final int PATIENCE = 4;

    /** State of a slot that is not published, or is released: the consumer does not read it. */
    private static final int AWAY = 0;

    private static final int WAITING = 1;
    private static final int TAKEN_BACK = 2;
    private static final int TAKEN = 3;

    private final FrameBuffer[] frames;
    private final int dataSlots;
    private final AtomicIntegerArray states;
    private final int[] lanes;
    private final long[] tiers;
    private final long[] priorities;
    private final boolean[] fences;
    private final int[] keys;

    /** For each key, the slot last published with it. For the producer. */
    private final int[] slotsOfKeys;

    private final int[] free;
    private final int[] freeSmall;
    private int freeCount;
    private int freeSmallCount;
    private final AtomicLong published = new AtomicLong();
    private final AtomicLong released = new AtomicLong();
    private final SlotRing arriving;
    private final SlotRing reordered;
    private final SlotRing returning;

    /** The order of the slots. For the consumer. */
    private final BarrierQueue queue;

    /**
     * Allocates the slots.
     *
     * @param dataSlots   slots for data, 1 or more
     * @param dataLength  bytes of each
     * @param smallSlots  slots for fences and all other frames, 1 or more
     * @param smallLength bytes of each
     * @param lanes       number of lanes, which fences may close
     * @param keys        number of keys, by which slots may be taken back
     */
    public Outbox(int dataSlots, int dataLength, int smallSlots, int smallLength, int lanes, int keys) {
        int slots = Math.addExact(dataSlots, smallSlots);
        this.dataSlots = dataSlots;
        this.frames = new FrameBuffer[slots];
        System.arraycopy(FrameBuffer.several(dataSlots, dataLength), 0, frames, 0, dataSlots);
        System.arraycopy(FrameBuffer.several(smallSlots, smallLength), 0, frames, dataSlots, smallSlots);
        this.states = new AtomicIntegerArray(slots);
        this.lanes = new int[slots];
        this.tiers = new long[slots];
        this.priorities = new long[slots];
        this.fences = new boolean[slots];
        this.keys = new int[slots];
        this.slotsOfKeys = new int[keys];
        Arrays.fill(slotsOfKeys, NONE);
        this.free = new int[dataSlots];
        this.freeSmall = new int[smallSlots];
        for (int slot = slots - 1; slot >= 0; slot--) {
            free(slot);
        }
        this.arriving = new SlotRing(slots);
        this.reordered = new SlotRing(slots);
        this.returning = new SlotRing(slots);
        this.queue = new BarrierQueue(slots, lanes, (long) PATIENCE * slots);
    }

    private void free(int slot) {
        if (slot < dataSlots) {
            free[freeCount++] = slot;
        } else {
            freeSmall[freeSmallCount++] = slot;
        }
    }

    /**
     * The memory of a slot. For the producer from claim or taking back to publication, for the consumer from taking
     * to release.
     *
     * @param slot any slot
     * @return the memory
     */
    public FrameBuffer frame(int slot) {
        return frames[slot];
    }

    /** Number of slots of both kinds, which are numbered from 0. */
    public int slots() {
        return frames.length;
    }

    /**
     * Claims a slot for data. For the producer.
     *
     * @return the slot released last, whose memory is likely still in a cache; {@link #NONE} if all are taken
     */
    public int claim() {
        collect();
        return freeCount == 0 ? NONE : free[--freeCount];
    }

    /**
     * Claims a small slot. For the producer.
     *
     * @return a slot, or {@link #NONE} if all are taken
     */
    public int claimSmall() {
        collect();
        return freeSmallCount == 0 ? NONE : freeSmall[--freeSmallCount];
    }

    private void collect() {
        for (int slot = returning.poll(); slot != SlotRing.NONE; slot = returning.poll()) {
            free(slot);
        }
    }

    /**
     * Gives back a slot that was claimed and is not needed. For the producer.
     *
     * @param slot claimed, not published
     */
    public void abandon(int slot) {
        free(slot);
    }

    /**
     * Publishes a slot. For the producer.
     *
     * @param slot     claimed and written
     * @param lane     lane of the slot, or {@link BarrierQueue#NO_LANE}
     * @param key      key to take it back by, or {@link #NO_KEY}
     * @param priority smaller values are sent first
     */
    public void publish(int slot, int lane, int key, long priority) {
        publish(slot, lane, key, 0, priority);
    }

    /**
     * Publishes a slot of a tier. For the producer.
     *
     * @param slot     claimed and written
     * @param lane     lane of the slot, or {@link BarrierQueue#NO_LANE}
     * @param key      key to take it back by, or {@link #NO_KEY}
     * @param tier     lower tiers are sent first, regardless of the priority
     * @param priority priority within the tier, smaller values are sent first
     */
    public void publish(int slot, int lane, int key, long tier, long priority) {
        fences[slot] = false;
        tiers[slot] = tier;
        publish(slot, lane, key);
        if (key != NO_KEY) {
            slotsOfKeys[key] = slot;
        }
        priorities[slot] = priority;
        handOver(slot);
    }

    /**
     * Publishes a slot that closes the slots published before it in a lane. For the producer.
     *
     * @param slot claimed
     * @param lane lane that it closes
     */
    public void publishFence(int slot, int lane) {
        fences[slot] = true;
        publish(slot, lane, NO_KEY);
        priorities[slot] = BarrierQueue.AT_ONCE;
        handOver(slot);
    }

    private void publish(int slot, int lane, int key) {
        lanes[slot] = lane;
        keys[slot] = key;
    }

    private void handOver(int slot) {
        states.setRelease(slot, WAITING);
        published.setRelease(published.getPlain() + 1);
        if (!arriving.offer(slot)) {
            throw new IllegalStateException("slot " + slot + " is published twice");
        }
    }

    /**
     * Takes back the slot published last with a key, if it still waits. For the producer, which may then read and
     * rewrite the slot, and must {@link #publishAgain} it: it keeps its place before the fences that were published
     * after it.
     *
     * @param key key of the slot
     * @return the slot, or {@link #NONE} if it is sent or being sent
     */
    public int takeBack(int key) {
        int slot = slotsOfKeys[key];
        if (slot == NONE || keys[slot] != key || !states.compareAndSet(slot, WAITING, TAKEN_BACK)) {
            return NONE;
        }
        return slot;
    }

    /**
     * Publishes a slot that was taken back. For the producer.
     *
     * @param slot     taken back
     * @param priority the smaller, the sooner
     */
    public void publishAgain(int slot, long priority) {
        boolean moves = priorities[slot] != priority;
        priorities[slot] = priority;
        states.setRelease(slot, WAITING);
        if (moves) {
            reordered.offer(slot); // if the ring is full, the slot keeps its old priority
        }
    }

    /**
     * Takes the first slot. For the consumer, which sends it and then releases it.
     *
     * @return the slot, or {@link #NONE} if none is ready
     */
    public int take() {
        admit();
        int slot = queue.first();
        if (slot == NONE) {
            return NONE;
        }
        if (!states.compareAndSet(slot, WAITING, TAKEN)) {
            slot = queue.firstBut(slot); // the producer has taken back the first slot for the moment
            if (slot == NONE || !states.compareAndSet(slot, WAITING, TAKEN)) {
                return NONE;
            }
        }
        queue.remove(slot);
        return slot;
    }

    private void admit() {
        // Count the reordered slots first: each of them has arrived before, so it is in the queue after the first loop.
        int changes = reordered.size();
        for (int slot = arriving.poll(); slot != SlotRing.NONE; slot = arriving.poll()) {
            if (fences[slot]) {
                queue.fence(slot, lanes[slot]);
            } else {
                queue.put(slot, lanes[slot], tiers[slot], priorities[slot]);
            }
        }
        for (int i = 0; i < changes; i++) {
            int slot = reordered.poll();
            if (states.getAcquire(slot) == WAITING) {
                queue.reprioritise(slot, priorities[slot]);
            }
        }
    }

    /**
     * Releases a slot. For the consumer.
     *
     * @param slot taken
     */
    public void release(int slot) {
        states.setRelease(slot, AWAY);
        returning.offer(slot);
        released.setRelease(released.getPlain() + 1);
    }

    /**
     * Whether a slot is a fence. For the consumer.
     *
     * @param slot taken
     * @return true if it was published by {@link #publishFence}
     */
    public boolean isFence(int slot) {
        return fences[slot];
    }

    /**
     * The lane of a slot. For the consumer.
     *
     * @param slot taken
     * @return as it was published
     */
    public int lane(int slot) {
        return lanes[slot];
    }

    /**
     * Whether a slot is published and not released yet. For the consumer, which may then read what the producer wrote
     * before it published.
     *
     * @param slot any slot
     * @return true even while the producer has taken it back
     */
    public boolean isPublished(int slot) {
        return states.getAcquire(slot) != AWAY;
    }

    /** Number of slots published and not released yet. For any thread. */
    public int backlog() {
        long gone = released.getAcquire();
        return (int) (published.getAcquire() - gone);
    }
}
