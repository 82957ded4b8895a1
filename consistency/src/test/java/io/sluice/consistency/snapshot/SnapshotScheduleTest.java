package io.sluice.consistency.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SnapshotScheduleTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Nodes advance at a steady pace and report rarely. */
    @Test
    void aSnapshotIsOrderedAheadOfAllNodesAndCommittedWhenAllHaveSaved() {
        Property.holds(200, random -> {
            int nodes = 1 + random.nextInt(5);
            long clockNs = (1 + random.nextInt(300)) * MS;
            long every = 1 + random.nextInt(50);
            SnapshotSchedule schedule = new SnapshotSchedule(
                    new SnapshotInterval(every, 0), nodes, SnapshotSchedule.NONE, SnapshotSchedule.NONE, 0);
            long last = SnapshotSchedule.NONE;
            for (int step = 1; step < 400; step++) {
                long nowNs = step * 50 * MS;
                long reached = nowNs / clockNs;
                if (step % 5 == 0) {
                    for (int node = 0; node < nodes; node++) {
                        schedule.reached(node, reached, nowNs);
                    }
                }
                long due = schedule.due(nowNs);
                if (SnapshotSchedule.NONE == due) {
                    continue;
                }
                assertEquals(0, due % every);
                assertTrue(due > last, "ordered clocks ascend");
                if (step > 10) {
                    assertTrue(due > reached, due + " is ordered at " + reached);
                }
                assertEquals(SnapshotSchedule.NONE, schedule.due(nowNs), "one at a time");
                for (int node = 0; node < nodes; node++) {
                    assertEquals(node == nodes - 1, schedule.saved(node, due, MS));
                }
                assertEquals(due, schedule.committed());
                assertEquals(last, schedule.previous());
                last = due;
            }
            assertTrue(last > 0, "nothing was ordered");
        });
    }

    @Test
    void aFailedSnapshotIsAbandonedAndRetriedLater() {
        SnapshotSchedule schedule = new SnapshotSchedule(new SnapshotInterval(10, 0), 2, 40, 30, 0);
        long first = schedule.due(0);
        assertEquals(50, first);
        assertFalse(schedule.saved(0, first, MS));
        assertTrue(schedule.failed(first, false, MS));
        assertFalse(schedule.failed(first, false, MS), "the snapshot is abandoned once");
        assertFalse(schedule.saved(1, first, MS), "an abandoned snapshot is not committed");
        assertEquals(40, schedule.committed());
        assertEquals(
                SnapshotSchedule.NONE,
                schedule.due(2 * MS),
                "the next attempt waits, since the disk may still be full");
        assertTrue(schedule.due(TimeUnit.MINUTES.toNanos(1)) >= 50);
    }

    @Test
    void anOrderThatArrivedTooLateIsFollowedByOneWithMoreTime() {
        SnapshotSchedule schedule =
                new SnapshotSchedule(new SnapshotInterval(1, 0), 1, SnapshotSchedule.NONE, SnapshotSchedule.NONE, 0);
        schedule.reached(0, 100, 100 * MS);
        long first = schedule.due(100 * MS);
        assertTrue(schedule.failed(first, true, 100 * MS));
        long second = schedule.due(100 * MS);
        assertTrue(second > first, second + " after " + first);
    }

    @Test
    void theIntervalFollowsYoungsFormula() {
        SnapshotInterval daily = SnapshotInterval.parse("auto");
        assertEquals(Math.sqrt(2.0 * 86_400), daily.optimumNs(TimeUnit.SECONDS.toNanos(1)) / 1e9, 1e-3);
        SnapshotInterval hourly = SnapshotInterval.parse("auto:1h");
        assertEquals(Math.sqrt(2.0 * 2 * 3_600), hourly.optimumNs(TimeUnit.SECONDS.toNanos(2)) / 1e9, 1e-3);
        assertEquals(new SnapshotInterval(25, 0), SnapshotInterval.parse("25"));
        for (String wrong : new String[] {"0", "-1", "x", "auto:", "auto:1", "auto:1y", ""}) {
            assertThrows(IllegalArgumentException.class, () -> SnapshotInterval.parse(wrong), wrong);
        }
    }

    @Test
    void aNodeUnderMemoryPressureNeedNotWaitForTheInterval() {
        SnapshotSchedule schedule = new SnapshotSchedule(new SnapshotInterval(1_000, 0), 2, -1, -1, 0);
        schedule.reached(0, 10, 100 * MS);
        assertTrue(schedule.due(100 * MS, true) < 100, "a multiple of the interval is far");
        assertEquals(SnapshotSchedule.NONE, schedule.due(100 * MS, true), "one at a time");
    }

    /** With an interval in clocks, the first order is for a distant clock and precedes all requests of nodes. */
    @Test
    void aLaterOrderDoesNotDelayANodeUnderMemoryPressure() {
        SnapshotSchedule schedule = new SnapshotSchedule(new SnapshotInterval(1_000, 0), 2, -1, -1, 0);
        assertEquals(1_000, schedule.due(0));
        schedule.reached(0, 10, 100 * MS);
        assertEquals(SnapshotSchedule.NONE, schedule.due(100 * MS), "one at a time");
        long soon = schedule.due(100 * MS, true);
        assertTrue(soon > 10 && soon < 100, soon + " is ordered");
        assertEquals(SnapshotSchedule.NONE, schedule.due(100 * MS, true), "one at a time");
        assertFalse(schedule.saved(0, soon, MS));
        assertTrue(schedule.saved(1, soon, MS));
        assertEquals(1_000, schedule.due(200 * MS), "the later clock is ordered again");
    }

    @Test
    void anAbandonedClockThatNoNodeHasReachedIsOrderedAgain() {
        SnapshotSchedule schedule = new SnapshotSchedule(new SnapshotInterval(1_000, 0), 2, -1, -1, 0);
        assertEquals(1_000, schedule.due(0));
        schedule.abandon();
        assertEquals(1_000, schedule.due(MS), "a death does not delay snapshots by an interval");
        schedule.abandon();
        assertFalse(schedule.saved(0, 1_000, MS));
        assertEquals(2_000, schedule.due(2 * MS), "a clock that a node has already answered is not ordered again");
    }

    @Test
    void anAbandonedSnapshotIsNotCommitted() {
        SnapshotSchedule schedule = new SnapshotSchedule(new SnapshotInterval(4, 0), 2, -1, -1, 0);
        long first = schedule.due(0);
        schedule.saved(0, first, MS);
        schedule.abandon();
        assertFalse(schedule.saved(1, first, MS));
        assertEquals(SnapshotSchedule.NONE, schedule.committed());
        assertTrue(schedule.due(MS) > first);
    }
}
