package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Silence may last longer where more threads are runnable than processors can serve in time. */
class HostLoadTest {
    private static final long SECOND_NS = 1_000_000_000;

    private String text = "";
    private int reads;
    private long nowNs = Long.MAX_VALUE - SECOND_NS; // monotonic clocks may overflow
    private final HostLoad load = new HostLoad(this::read, 2, () -> nowNs);

    private int read(byte[] into) {
        reads++;
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, into, 0, bytes.length);
        return bytes.length;
    }

    private void runnable(int threads) {
        text = "0.52 1.10 0.98 " + threads + "/812 4711\n";
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "8, 1", "12, 1.5", "20, 2.5", "32, 4", "33, 4", "4000, 4"})
    void fourRunnableThreadsForEachProcessorAreUsual(int threads, double factor) {
        runnable(threads);
        assertEquals(factor, load.factor());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "0.52 1.10", "0.52 1.10 0.98 x/812", "/812 4711"})
    void withoutLoadFiguresTheHostCountsAsQuiet(String other) {
        text = other;
        assertEquals(1, load.factor());
    }

    @Test
    void itIsLookedAtOnceASecond() {
        runnable(20);
        assertEquals(2.5, load.factor());
        runnable(32);
        nowNs += SECOND_NS - 1;
        assertEquals(2.5, load.factor());
        assertEquals(1, reads);
        nowNs++;
        assertEquals(4, load.factor());
        assertEquals(2, reads);
    }

    @Test
    void oneLowSampleEndsNoPeerAndAQuietHostIsQuietSoon() {
        runnable(20);
        assertEquals(2.5, load.factor());
        runnable(1);
        nowNs += SECOND_NS;
        assertEquals(1 + 1.5 * 0.75, load.factor());
        nowNs += SECOND_NS;
        assertEquals(1 + 1.5 * 0.75 * 0.75, load.factor());
        nowNs += 8 * SECOND_NS;
        assertTrue(load.factor() < 1.1, () -> load.factor() + " after ten seconds");
        nowNs += 3600 * SECOND_NS;
        assertEquals(1, load.factor());
    }

    @Test
    void aQuietHostStaysQuiet() {
        assertEquals(1, HostLoad.QUIET.factor());
        double here = HostLoad.here().factor();
        assertTrue(here >= 1 && here <= HostLoad.MOST, () -> "here " + here);
    }
}
