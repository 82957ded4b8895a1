package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.tree.Place;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ProgressTest {
    private final AtomicLong nowNs = new AtomicLong();
    private final Progress progress = new Progress(nowNs::get);

    private void pass(long seconds) {
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    private void say(String event, int worker) {
        progress.accept(JsonNodeFactory.instance
                .objectNode()
                .put("event", event)
                .put("worker", worker)
                .put("clock", 1));
    }

    @Test
    void aJobThatHasNotBegunHasNotStalled() {
        pass(100);
        assertEquals(0, progress.longestStallSeconds());
        assertFalse(progress.hasBegun());
    }

    @Test
    void stallIsTheLongestTimeBetweenTwoReports() {
        say("clock", 0);
        pass(3);
        say("clock", 1);
        pass(7);
        say("worker-done", 0);
        pass(2);
        say("worker-done", 1);
        assertEquals(7, progress.longestStallSeconds());
        assertEquals(4, progress.words());
    }

    @Test
    void timeAfterTheLastReportIsAStall() {
        say("clock", 0);
        pass(120);
        assertEquals(120, progress.longestStallSeconds());
    }

    /**
     * Worker 1 leaves at clock 21 and is killed before its final report; the job goes back to a later clock, or to an
     * earlier one.
     */
    @Test
    void aKilledWorkerThatHadLeftCountsAsHavingPushedAtAllItsClocks() {
        WorkerSetHistory first = WorkerSetHistory.of(1, 2);
        WorkerSetHistory left = first.with(new WorkerSetChange(21, Role.WORKER, 1, false, new Place(2, "", "")));
        progress.restart(left, 16);
        assertEquals(Map.of(1, 320L), progress.counts().pushed());
        WorkerSetHistory back = left.with(new WorkerSetChange(30, Role.WORKER, 1, true, new Place(2, "", "")))
                .with(new WorkerSetChange(33, Role.WORKER, 1, false, new Place(2, "", "")));
        progress.restart(back, 16);
        assertEquals(Map.of(1, 368L), progress.counts().pushed());
        progress.restart(first, 16);
        assertEquals(Map.of(), progress.counts().pushed());
        assertFalse(progress.isUncounted());
    }

    @Test
    void restartsArePartOfTheStall() {
        say("clock", 0);
        pass(120);
        progress.restart(WorkerSetHistory.of(1, 1), 16);
        assertFalse(progress.hasBegun());
        pass(5);
        assertEquals(125, progress.longestStallSeconds());
        say("clock", 0);
        pass(1);
        assertEquals(125, progress.longestStallSeconds());
        assertTrue(progress.hasBegun());
    }

    @Test
    void aRestartedWorkerHasNotMoved() {
        say("clock", 0);
        assertTrue(progress.hasMovedSince(0, -1));
        progress.restart(0);
        assertFalse(progress.hasMovedSince(0, -1));
        assertTrue(progress.hasBegun());
    }
}
