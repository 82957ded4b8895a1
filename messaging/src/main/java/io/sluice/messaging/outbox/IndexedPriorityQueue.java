package io.sluice.messaging.outbox;

import java.util.Arrays;

/**
 * Orders slots by urgency: the lowest tier first, within it the smallest priority, ties in order of arrival. A slot
 * that too many others have overtaken precedes all, so that urgent slots cannot starve it.
 *
 * <p>An indexed binary heap in arrays, and a list of the slots by age. For one thread. Allocates nothing.
 */
final class IndexedPriorityQueue {
    static final int NONE = -1;

    private final long patience;
    private final int[] heap;
    private final int[] places;
    private final long[] tiers;
    private final long[] priorities;
    private final long[] arrivals;
    private final long[] departuresBefore;
    private final int[] older;
    private final int[] younger;
    private int oldest = NONE;
    private int youngest = NONE;
    private int size;
    private long arrived;
    private long departed;

    /**
     * Creates an empty heap.
     *
     * @param slots number of slots, which are numbered from 0.
     * @param patience number of slots that may overtake a slot before it becomes first.
     */
    IndexedPriorityQueue(int slots, long patience) {
        this.patience = patience;
        this.heap = new int[slots];
        this.places = new int[slots];
        this.tiers = new long[slots];
        this.priorities = new long[slots];
        this.arrivals = new long[slots];
        this.departuresBefore = new long[slots];
        this.older = new int[slots];
        this.younger = new int[slots];
        Arrays.fill(places, NONE);
    }

    int size() {
        return size;
    }

    boolean contains(int slot) {
        return places[slot] != NONE;
    }

    void add(int slot, long tier, long priority) {
        tiers[slot] = tier;
        priorities[slot] = priority;
        arrivals[slot] = arrived++;
        departuresBefore[slot] = departed;
        older[slot] = youngest;
        younger[slot] = NONE;
        if (youngest == NONE) {
            oldest = slot;
        } else {
            younger[youngest] = slot;
        }
        youngest = slot;
        heap[size] = slot;
        places[slot] = size;
        rise(size++);
    }

    /** The first slot, or {@link #NONE}. */
    int first() {
        if (size == 0) {
            return NONE;
        }
        return isImpatient(oldest) ? oldest : heap[0];
    }

    /** The slot that would be first if a given slot were not in the queue. */
    int firstBut(int other) {
        int first = first();
        if (first != other) {
            return first;
        }
        if (heap[0] != other) {
            return heap[0];
        }
        if (size <= 2) {
            return size == 2 ? heap[1] : NONE;
        }
        return isBefore(heap[1], heap[2]) ? heap[1] : heap[2];
    }

    private boolean isImpatient(int slot) {
        return departed - departuresBefore[slot] >= patience;
    }

    void remove(int slot) {
        int place = places[slot];
        places[slot] = NONE;
        int last = heap[--size];
        if (last != slot) {
            heap[place] = last;
            places[last] = place;
            settle(place);
        }
        departed++;
        unlink(slot);
    }

    private void unlink(int slot) {
        int before = older[slot];
        int after = younger[slot];
        if (before == NONE) {
            oldest = after;
        } else {
            younger[before] = after;
        }
        if (after == NONE) {
            youngest = before;
        } else {
            older[after] = before;
        }
    }

    /** Changes a slot's priority within its tier; among equal priorities its age still counts. */
    void reprioritise(int slot, long priority) {
        priorities[slot] = priority;
        settle(places[slot]);
    }

    private void settle(int place) {
        int slot = heap[place];
        rise(place);
        sink(places[slot]);
    }

    private void rise(int from) {
        int place = from;
        int slot = heap[place];
        while (place > 0) {
            int parent = (place - 1) >>> 1;
            if (!isBefore(slot, heap[parent])) {
                break;
            }
            move(heap[parent], place);
            place = parent;
        }
        move(slot, place);
    }

    private void sink(int from) {
        int place = from;
        int slot = heap[place];
        for (int child = 2 * place + 1; child < size; child = 2 * place + 1) {
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isBefore(heap[child], slot)) {
                break;
            }
            move(heap[child], place);
            place = child;
        }
        move(slot, place);
    }

    private void move(int slot, int place) {
        heap[place] = slot;
        places[slot] = place;
    }

    private boolean isBefore(int slot, int other) {
        int difference = Long.compare(tiers[slot], tiers[other]);
        if (difference == 0) {
            difference = Long.compare(priorities[slot], priorities[other]);
        }
        return difference == 0 ? arrivals[slot] < arrivals[other] : difference < 0;
    }
}
