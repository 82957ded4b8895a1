package io.sluice.messaging.outbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BarrierQueueTest {
    private static final long FOR_EVER = Long.MAX_VALUE;

    /** A model of the queue in the simplest way: lists that are searched from end to end. */
    private static final class Model {
        private final long patience;
        private final List<Entry> entries = new ArrayList<>();
        private long arrived;
        private long departed;

        Model(long patience) {
            this.patience = patience;
        }

        void enter(int slot, int lane, long tier, long priority, boolean fence) {
            entries.add(new Entry(slot, lane, tier, priority, fence));
            letIn();
        }

        private void letIn() {
            for (int i = 0; i < entries.size(); i++) {
                Entry entry = entries.get(i);
                if (entry.arrival < 0 && mayLeave(i)) {
                    entry.arrival = arrived++;
                    entry.departuresBefore = departed;
                }
            }
        }

        private boolean mayLeave(int position) {
            Entry entry = entries.get(position);
            return entry.lane == BarrierQueue.NO_LANE
                    || entries.subList(0, position).stream()
                            .noneMatch(before -> before.lane == entry.lane && (before.fence || entry.fence));
        }

        Optional<Entry> firstBut(int other) {
            Optional<Entry> oldest = entries.stream()
                    .filter(entry -> entry.arrival >= 0)
                    .min(Comparator.comparingLong(entry -> entry.arrival));
            if (oldest.isPresent()
                    && oldest.get().slot != other
                    && departed - oldest.get().departuresBefore >= patience) {
                return oldest;
            }
            return entries.stream()
                    .filter(entry -> entry.arrival >= 0 && entry.slot != other)
                    .min(Comparator.<Entry>comparingLong(entry -> entry.tier)
                            .thenComparingLong(entry -> entry.priority)
                            .thenComparingLong(entry -> entry.arrival));
        }

        void remove(int slot) {
            entries.removeIf(entry -> entry.slot == slot);
            departed++;
            letIn();
        }

        void reprioritise(int slot, long priority) {
            entries.stream()
                    .filter(entry -> entry.slot == slot && !entry.fence)
                    .forEach(entry -> entry.priority = priority);
        }
    }

    private static final class Entry {
        final int slot;
        final int lane;
        final boolean fence;
        final long tier;
        long priority;
        long arrival = -1;
        long departuresBefore;

        Entry(int slot, int lane, long tier, long priority, boolean fence) {
            this.slot = slot;
            this.lane = lane;
            this.tier = fence ? Long.MIN_VALUE : tier;
            this.priority = fence ? BarrierQueue.AT_ONCE : priority;
            this.fence = fence;
        }
    }

    @Test
    void leavesInTheOrderOfTheModel() {
        Property.holds(300, random -> {
            int slots = random.nextInt(1, 40);
            int lanes = random.nextInt(0, 4);
            long patience = random.nextBoolean() ? FOR_EVER : random.nextInt(1, 30);
            BarrierQueue queue = new BarrierQueue(slots, lanes, patience);
            Model model = new Model(patience);
            List<Integer> free = new ArrayList<>();
            for (int slot = 0; slot < slots; slot++) {
                free.add(slot);
            }
            for (int step = 0; step < 400; step++) {
                step(random, queue, model, free, lanes);
                assertEquals(model.entries.size(), queue.size());
            }
        });
    }

    private static void step(SplittableRandom random, BarrierQueue queue, Model model, List<Integer> free, int lanes) {
        int kind = random.nextInt(10);
        if (kind < 5 && !free.isEmpty()) {
            int slot = free.remove(random.nextInt(free.size()));
            int lane = random.nextInt(-1, lanes);
            long priority = random.nextInt(5);
            long tier = random.nextInt(3);
            boolean fence = lane != BarrierQueue.NO_LANE && random.nextInt(4) == 0;
            model.enter(slot, lane, tier, priority, fence);
            if (fence) {
                queue.fence(slot, lane);
            } else {
                queue.put(slot, lane, tier, priority);
            }
        } else if (kind < 9) {
            int other = random.nextInt(3) == 0 ? queue.first() : BarrierQueue.NONE;
            int slot = other == BarrierQueue.NONE ? queue.first() : queue.firstBut(other);
            assertEquals(model.firstBut(other).map(entry -> entry.slot).orElse(BarrierQueue.NONE), slot);
            if (slot != BarrierQueue.NONE) {
                queue.remove(slot);
                model.remove(slot);
                free.add(slot);
            }
        } else if (!model.entries.isEmpty()) {
            int slot = model.entries.get(random.nextInt(model.entries.size())).slot;
            long priority = random.nextInt(5);
            queue.reprioritise(slot, priority);
            model.reprioritise(slot, priority);
        }
    }

    @Test
    void equalPrioritiesLeaveAsTheyCame() {
        BarrierQueue queue = new BarrierQueue(100, 1, FOR_EVER);
        for (int slot = 0; slot < 100; slot++) {
            queue.put(slot, slot % 2 - 1, 7);
        }
        for (int slot = 0; slot < 100; slot++) {
            assertEquals(slot, queue.first());
            queue.remove(slot);
        }
        assertEquals(BarrierQueue.NONE, queue.first());
    }

    @Test
    void noUrgencyPassesALowerTier() {
        BarrierQueue queue = new BarrierQueue(4, 2, FOR_EVER);
        queue.put(0, 0, 1, 0);
        queue.put(1, 1, 0, 9);
        queue.put(2, 1, 0, 7);
        queue.put(3, 0, 1, BarrierQueue.AT_ONCE);
        assertEquals(List.of(2, 1, 3, 0), drain(queue));
    }

    @Test
    void aFenceKeepsItsLaneAndNoOther() {
        BarrierQueue queue = new BarrierQueue(8, 2, FOR_EVER);
        queue.put(0, 0, 50);
        queue.fence(1, 0);
        queue.put(2, 0, 1); // more urgent, but after the fence
        queue.put(3, 1, 40);
        assertEquals(List.of(3, 0, 1, 2), drain(queue));
    }

    @Test
    void aFenceAloneLeavesAtOnce() {
        BarrierQueue queue = new BarrierQueue(4, 2, FOR_EVER);
        queue.put(0, 0, 0);
        queue.fence(1, 1);
        queue.fence(2, 1);
        assertEquals(List.of(1, 2, 0), drain(queue));
    }

    /**
     * A slot that is not urgent leaves in spite of endless urgent slots, before its patience and all slots are used up.
     */
    @Test
    void nothingWaitsForEver() {
        Property.holds(50, random -> {
            int slots = random.nextInt(2, 20);
            int patience = random.nextInt(1, 100);
            BarrierQueue queue = new BarrierQueue(slots, 1, patience);
            for (int slot = 0; slot < slots; slot++) {
                queue.put(slot, 0, slot == 0 ? 1_000_000 : random.nextInt(1_000));
            }
            int sent = 0;
            for (int slot = queue.first(); slot != 0; slot = queue.first()) {
                queue.remove(slot);
                queue.put(slot, 0, random.nextInt(1_000));
                sent++;
                assertTrue(sent <= patience + slots, "slot 0 was overtaken " + sent + " times");
            }
        });
    }

    @Test
    void sizesOutOfRangeAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new BarrierQueue(0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new BarrierQueue(1, -1, 1));
        assertThrows(IllegalArgumentException.class, () -> new BarrierQueue(1, 1, 0));
    }

    private static List<Integer> drain(BarrierQueue queue) {
        List<Integer> left = new ArrayList<>();
        for (int slot = queue.first(); slot != BarrierQueue.NONE; slot = queue.first()) {
            queue.remove(slot);
            left.add(slot);
        }
        return left;
    }
}
