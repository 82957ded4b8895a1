package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.perf.benchmark.Turn;
import io.sluice.perf.experiment.Row;
import io.sluice.perf.experiment.Sample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Ratios and warnings from results that are made up. */
final class LinkLayoutTest {
    private static final int FRAMES = 1_000;
    private static final int LENGTH = 4_096;
    private static final long MS = 1_000_000;

    private static Row row(LinkSpec.Mode mode, long[] turnNanos, long[] latencyNanos) {
        List<Sample> samples = new ArrayList<>();
        for (LinkStack stack : LinkStack.values()) {
            int place = stack.ordinal();
            Turn turn = new Turn(
                    2,
                    turnNanos[place],
                    2L * FRAMES * LENGTH,
                    2 * FRAMES,
                    0,
                    4L * FRAMES,
                    mode.recordsLatencies() ? histogram(latencyNanos[place]) : null,
                    List.of());
            Collections.nCopies(3, turn).forEach(each -> samples.add(LinkLayout.sample(spec(mode, stack), each)));
        }
        List<Row> rows = LinkLayout.of().rows(samples);
        assertEquals(1, rows.size());
        return rows.getFirst();
    }

    private static LinkSpec spec(LinkSpec.Mode mode, LinkStack stack) {
        return new LinkSpec(
                mode, LinkSpec.Medium.IPC, LENGTH, stack, FRAMES, 10_000, LinkSpec.Waiting.YIELD, false, 1, "nowhere");
    }

    private static Histogram histogram(long nanos) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(nanos, 98);
        histogram.recordValueWithCount(10 * nanos, 2);
        return histogram;
    }

    @Test
    void throughputIsInMegabytesOfWhatArrived() {
        Row row = row(LinkSpec.Mode.THROUGHPUT, new long[] {4 * MS, 8 * MS, 5 * MS, 10 * MS}, null);
        // 2,000 frames of 4,096 bytes in 4 ms.
        assertEquals(2_048, row.number("raw"), 1e-6);
        assertEquals(0.8, row.number("ratio"), 1e-9);
        assertEquals(1.6, row.number("ratio_to_raw_checked"), 1e-9);
        assertEquals(819.2, row.number("ours_sealing"), 1e-6);
        assertEquals("MB/s", row.get("unit"));
        assertEquals(400_000, row.number("frames_per_second"), 1e-6);
        assertEquals(2, row.number("allocated_per_frame"), 1e-9);
        assertNull(row.get("p50_us"));
        assertNull(row.get("p99_ratio"));
        assertNull(row.get("rate_met"));
    }

    @Test
    void roundTripsAreInMicroseconds() {
        long[] nanos = {MS, MS, MS, MS};
        Row row = row(LinkSpec.Mode.RTT, nanos, new long[] {1_000, 1_100, 1_200, 1_300});
        assertEquals("us", row.get("unit"));
        assertEquals(1.2, row.number("ours"), 0.002);
        assertEquals(1.0, row.number("raw"), 0.002);
        assertEquals(1.2, row.number("ratio"), 0.004);
        assertEquals(1.2, row.number("p99_ratio"), 0.004);
        assertEquals(1.2, row.number("p50_us"), 0.002);
        assertEquals(12, row.number("p99_us"), 0.02);
        assertEquals(10, row.number("raw_p99_us"), 0.02);
        assertNull(row.get("rate_met"));
    }

    @Test
    void anOpenLoopThatDidNotKeepItsRateSaysSo() {
        // 2,000 frames at 10,000 a second are 200 ms.
        long[] nanos = {200 * MS, 201 * MS, 210 * MS, 201 * MS};
        Row row = row(LinkSpec.Mode.OPEN_LOOP, nanos, new long[] {1_000, 1_000, 1_000, 1_000});
        assertEquals(true, row.get("raw_rate_met"));
        assertEquals(false, row.get("rate_met"));
        assertEquals(Optional.empty(), LinkLayout.warning(row, LinkStack.RAW));
        String warning = LinkLayout.warning(row, LinkStack.OURS).orElseThrow();
        assertTrue(warning.startsWith("WARNING: ours ipc 4096 sent 9,524 of 10,000 frames per second"), warning);
        assertFalse(LinkLayout.isSaturated(row));
    }

    @Test
    void bytesThatDidNotArriveAreAnError() {
        Turn turn = new Turn(1, MS, (FRAMES - 1L) * LENGTH, FRAMES, 0, -1, null, List.of());
        String message = assertThrows(
                        IllegalStateException.class,
                        () -> LinkLayout.sample(spec(LinkSpec.Mode.THROUGHPUT, LinkStack.RAW), turn))
                .getMessage();
        assertEquals("raw ipc 4096: 4091904 bytes arrived of 4096000 sent", message);
    }
}
