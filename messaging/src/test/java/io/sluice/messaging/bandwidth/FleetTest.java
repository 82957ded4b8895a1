package io.sluice.messaging.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.Property;
import org.junit.jupiter.api.Test;

class FleetTest {
    @Test
    void decidesAsSoonAsTheRestCannotChangeIt() {
        Property.holds(500, random -> {
            int streams = random.nextInt(3, 30);
            int needed = (int) Math.ceil(0.7 * streams);
            Fleet fleet = new Fleet(streams);
            int[] counts = new int[3];
            for (int i = 0; i < streams && fleet.verdict() == Fleet.Verdict.UNDECIDED; i++) {
                DelayTrend trend = DelayTrend.values()[random.nextInt(3)];
                counts[trend.ordinal()]++;
                fleet.add(trend, 0);
                int left = streams - i - 1;
                assertEquals(counts[0] >= needed, fleet.verdict() == Fleet.Verdict.ABOVE);
                assertEquals(counts[1] >= needed, fleet.verdict() == Fleet.Verdict.BELOW);
                assertEquals(
                        counts[0] + left < needed && counts[1] + left < needed, fleet.verdict() == Fleet.Verdict.GREY);
            }
        });
    }

    @Test
    void takesLossForTooFast() {
        Fleet fleet = new Fleet(10);
        fleet.add(DelayTrend.STEADY, 0.11);
        assertEquals(Fleet.Verdict.ABOVE, fleet.verdict());
        Fleet suspicious = new Fleet(10);
        for (int i = 0; i < 7; i++) {
            suspicious.add(DelayTrend.STEADY, 0.05);
        }
        assertEquals(Fleet.Verdict.ABOVE, suspicious.verdict());
    }
}
