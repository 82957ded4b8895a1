package io.sluice.filter.threshold;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.filter.feedback.ConstantFeedback;
import io.sluice.filter.spi.FilterSite;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DensityTargetTest {
    /** The sparsities of the paper, 75, 93.75, 98.4375, 99.6 and 99.9%, to the digits in which a power of 4 agrees. */
    @Test
    void warmsUpLikeDeepGradientCompression() {
        DensityTarget target = new WarmUp(new ConstantDensity(0.001, 1_000_000), 4);
        double[] densities =
                LongStream.rangeClosed(1, 6).mapToDouble(target::density).toArray();
        assertArrayEquals(new double[] {0.25, 0.0625, 0.015625, 0.004, 0.001, 0.001}, densities, 0.0005);
        assertArrayEquals(
                new double[] {0.25, 0.06287167148414677, 0.015811388300841896, 0.003976353643835253, 0.001, 0.001},
                densities,
                1e-15);
    }

    @Test
    void warmUpWithoutClocksOrNeed() {
        assertEquals(0.01, new WarmUp(new ConstantDensity(0.01, 1_000), 0).density(1));
        assertEquals(0.5, new WarmUp(new ConstantDensity(0.5, 1_000), 10).density(1));
        assertEquals(0.25, new WarmUp(new ConstantDensity(0.01, 1_000), 1).density(1));
        assertEquals(0.01, new WarmUp(new ConstantDensity(0.01, 1_000), 1).density(2));
    }

    @Test
    void neverLessThanOneElement() {
        assertEquals(0.1, new ConstantDensity(0.001, 10).density(1));
    }

    @Test
    void bytesAtTheirCost() {
        ByteBudget budget = new ByteBudget(
                8_000, ConstantFeedback.UNWATCHED, 10_000, new FilterSite.NodeTraffic(2, 20_000, 100, 800));
        assertEquals(0.04375, budget.density(1), "half of what commits and headers leave, at 8 for each");
        budget.observe(400, 3, 1_800);
        assertEquals(0.07, budget.density(2), "at 5 for each");
        budget.observe(0, 0, 0);
        assertEquals(0.07, budget.density(3), "nothing was sent, nothing learnt");
        assertEquals(
                1e-4,
                new ByteBudget(8_000, new ConstantFeedback(true, 0), 10_000, FilterSite.NodeTraffic.ofFrames(10_000))
                        .density(1),
                "a budget of nothing still sends an element");
    }
}
