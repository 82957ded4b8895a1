package io.sluice.perf.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which rate follows which. */
final class LinkRatesTest {
    @Test
    void listedRatesAscend() {
        LinkRates rates = LinkRates.parse(LinkSpec.Mode.OPEN_LOOP, List.of("5000", "1000", "5000"));
        assertEquals(1_000, rates.first());
        assertEquals(5_000, rates.after(1_000, true));
        assertNull(rates.after(5_000, false));
    }

    @Test
    void aSweepDoublesTheRateUpToSaturation() {
        LinkRates rates = LinkRates.parse(LinkSpec.Mode.OPEN_LOOP, List.of("1000", "sweep"));
        assertEquals(2_000, rates.after(1_000, false));
        assertEquals(4_000, rates.after(2_000, false));
        assertNull(rates.after(4_000, true));
        assertNull(rates.after(8_000_000, false));
    }

    @Test
    void thereIsOneRateByDefault() {
        LinkRates rates = LinkRates.parse(LinkSpec.Mode.OPEN_LOOP, List.of());
        assertEquals(10_000, rates.first());
        assertNull(rates.after(10_000, false));
        assertEquals(
                10_000,
                LinkRates.parse(LinkSpec.Mode.OPEN_LOOP, List.of("sweep")).first());
    }
}
