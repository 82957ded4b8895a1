package io.sluice.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.counters.CounterKey;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Figures of made-up counters. */
class RunningJobTest {
    private final List<Entry> entries = new ArrayList<>();
    private final RunningJob job = new RunningJob();

    private void put(String node, CounterType type, String detail, long value) {
        long owner = node.hashCode();
        entries.add(new Entry(entries.size(), owner, node, type, new CounterKey(1, 0, 0, 0, node, detail), value));
    }

    private void node(String name, long clock) {
        put(name, CounterType.NODE_CLOCK, "", clock);
        put(name, CounterType.NODE_ELEMENTS_OFFERED, "", 1_000 * clock);
        put(name, CounterType.NODE_ELEMENTS_KEPT, "", 100 * clock);
        put(name, CounterType.NODE_PUSH_TIME, "", TimeUnit.MILLISECONDS.toNanos(10) * clock);
        put(name, CounterType.NODE_WAIT_TIME, "", TimeUnit.MILLISECONDS.toNanos(30) * clock);
    }

    private void see(double seconds) {
        job.see(new CounterReading(entries, List.of(), Map.of()), (long) (seconds * 1e9));
        entries.clear();
    }

    @Test
    void aClockIsTheMeanOfAllWorkers() {
        node("worker 0", 10);
        node("worker 1", 11);
        see(1);
        node("worker 0", 20);
        node("worker 1", 21);
        put("worker 0", CounterType.NODE_TERM, "tree=rotated:2", 1);
        put("worker 0", CounterType.NODE_TERM, "workers=2", 1);
        put("worker 0", CounterType.NODE_TERM, "values=f32 w=bf16 and others~", 1);
        see(2);
        ObjectNode figures = job.figures();
        assertEquals(0.1, figures.get("clock_seconds").asDouble(), 1e-9);
        assertEquals(0.06, figures.get("compute_seconds").asDouble(), 1e-9);
        assertEquals(1_000, figures.get("parameters").asLong());
        assertEquals(0.1, figures.get("kept").asDouble(), 1e-9);
        assertEquals("rotated:2", figures.get("tree").asText());
        assertTrue(figures.get("cores").asInt() > 0, "all workers are here");
        assertFalse(figures.has("values"), "a term that is cut off is unknown");
        assertFalse(figures.has("protocol"), figures::toString);
    }

    @Test
    void coresAreUnknownWhereOtherHostsHaveWorkers() {
        node("worker 0", 10);
        put("worker 0", CounterType.NODE_TERM, "workers=9", 1);
        see(1);
        node("worker 0", 20);
        put("worker 0", CounterType.NODE_TERM, "workers=9", 1);
        see(2);
        assertEquals(9, job.figures().get("workers").asInt());
        assertFalse(job.figures().has("cores"));
    }

    /** The figures are those since the last change. */
    @Test
    void aNodeThatStartsOrEndsBeginsTheWatchAnew() {
        node("worker 0", 10);
        see(1);
        node("worker 0", 12);
        node("worker 1", 12);
        see(2);
        node("worker 0", 22);
        node("worker 1", 22);
        see(4);
        assertEquals(0.2, job.figures().get("clock_seconds").asDouble(), 1e-9);
        assertEquals(2, job.figures().get("workers").asInt());
        node("worker 1", 23);
        see(5);
        UnavailableException e = assertThrows(UnavailableException.class, job::figures);
        assertTrue(e.getMessage().startsWith("no worker has completed a clock since"), e.getMessage());
        node("worker 1", 28);
        see(6);
        assertEquals(0.2, job.figures().get("clock_seconds").asDouble(), 1e-9);
        assertEquals(1, job.figures().get("workers").asInt());
    }

    @Test
    void aClockThatIsRestoredBeginsTheWatchAnew() {
        node("worker 0", 100);
        see(1);
        node("worker 0", 110);
        see(2);
        node("worker 0", 105);
        see(3);
        node("worker 0", 115);
        see(4);
        assertEquals(0.1, job.figures().get("clock_seconds").asDouble(), 1e-9);
    }
}
