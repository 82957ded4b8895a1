package io.sluice.messaging.bandwidth;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import org.junit.jupiter.api.Test;

class RateSearchTest {
    @Test
    void closesInOnTheRateOrTheRegionItVariesIn() {
        Property.holds(500, random -> {
            double low = random.nextDouble(1, 1_000);
            double high = random.nextBoolean() ? low : low * random.nextDouble(1, 2);
            double resolution = random.nextDouble(0.02, 0.3);
            RateSearch search = new RateSearch(random.nextDouble(0.2, 5) * low, 10_000, resolution);
            int fleets = 0;
            while (!search.isDone()) {
                double rate = search.next();
                assertTrue(rate > search.low() && rate < search.high());
                Fleet.Verdict verdict =
                        rate < low ? Fleet.Verdict.BELOW : rate > high ? Fleet.Verdict.ABOVE : Fleet.Verdict.GREY;
                search.settle(rate, verdict);
                assertTrue(++fleets < 60, "the search does not end");
            }
            double slack = resolution * search.high() + 1e-9;
            assertTrue(search.low() <= low && search.low() >= low - slack, search::toString);
            assertTrue(search.high() >= high && search.high() <= high + 2 * slack);
        });
    }

    /** The available bandwidth changes during the search, so that later fleets contradict the grey region. */
    @Test
    void endsWhereverTheRegionMoves() {
        Property.holds(500, random -> {
            RateSearch search = new RateSearch(100, 1_000, 0.05);
            int fleets = 0;
            double last = 0;
            while (!search.isDone()) {
                double rate = search.next();
                assertTrue(rate != last, "the same rate again");
                last = rate;
                Fleet.Verdict[] verdicts = {Fleet.Verdict.BELOW, Fleet.Verdict.ABOVE, Fleet.Verdict.GREY};
                search.settle(rate, verdicts[random.nextInt(3)]);
                assertTrue(++fleets < 200, "the search does not end");
            }
            assertTrue(search.low() < search.high());
        });
    }

    @Test
    void staysBelowTheCeiling() {
        RateSearch search = new RateSearch(100, 1_000, 0.1);
        while (!search.isDone()) {
            double rate = search.next();
            assertTrue(rate < 1_000);
            search.settle(rate, Fleet.Verdict.BELOW);
        }
        assertTrue(search.low() >= 900 && search.high() == 1_000);
    }
}
