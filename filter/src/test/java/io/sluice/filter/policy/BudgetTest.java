package io.sluice.filter.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Drawn;
import io.sluice.codecs.Property;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.NetworkFeedback;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes of real frames against the budget. */
class BudgetTest {
    private static final int ELEMENTS = 60_000;
    private static final int CLOCKS = 40;
    private static final int SETTLED = 12;

    /** Budgets from one that is mostly headers to one for nearly all elements. */
    @Drawn
    @ParameterizedTest
    @CsvSource({"3kb", "20kb", "60kb", "120kb", "200kb"})
    void isKept(String budget) {
        double bytes = 1024 * Double.parseDouble(budget.replace("kb", ""));
        for (Gradients gradients : List.of(Gradients.GAUSSIAN, Gradients.HEAVY, Gradients.LAYERED)) {
            Property.holds(2, random -> {
                TableRig rig = new TableRig("budget:" + budget, ELEMENTS, 4_080, random.nextBoolean());
                float[] update = new float[ELEMENTS];
                List<Double> used = new ArrayList<>();
                for (int clock = 1; clock <= CLOCKS; clock++) {
                    gradients.fill(random, update);
                    rig.clock(clock, update, random);
                    used.add(rig.bytes() / bytes);
                }
                double mean = used.subList(SETTLED, CLOCKS).stream()
                        .mapToDouble(x -> x)
                        .average()
                        .orElseThrow();
                double most = used.stream().mapToDouble(x -> x).max().orElseThrow();
                assertTrue(mean > 0.85 && mean < 1.1, gradients + ": mean " + mean + " of the budget: " + used);
                assertTrue(most < 2.5, gradients + ": " + used);
            });
        }
    }

    @Test
    void moreThanEnoughHoldsNothingBack() {
        TableRig rig = new TableRig("budget:1gb", ELEMENTS, 4_080, false);
        float[] update = new float[ELEMENTS];
        for (int clock = 1; clock <= 3; clock++) {
            Gradients.GAUSSIAN.fill(new SplittableRandom(clock), update);
            rig.clock(clock, update, null);
            assertEquals(0, rig.residualMax());
        }
    }

    /** A node's budget is its tables': one with a quarter of the elements gets a quarter. */
    @Test
    void isSharedBySize() {
        SettableFeedback network = new SettableFeedback();
        assertEquals(
                0.25 * 80_000,
                mean(new TableRig(
                        "budget:80000",
                        ELEMENTS,
                        4_080,
                        false,
                        new FilterSite.NodeTraffic(1, 4L * ELEMENTS, 64, 0),
                        network)),
                3_000);
    }

    /** The network's budget overrides the configured one from the next clock on. */
    @Test
    void followsTheNetwork() {
        SettableFeedback network = new SettableFeedback();
        TableRig rig = new TableRig(
                "budget:80000", ELEMENTS, 4_080, false, FilterSite.NodeTraffic.ofFrames(ELEMENTS), network);
        assertEquals(80_000, mean(rig), 8_000);
        network.bytesPerClock(20_000);
        assertEquals(20_000, mean(rig), 2_000);
        network.bytesPerClock(NetworkFeedback.NO_BUDGET);
        assertEquals(80_000, mean(rig), 8_000);
    }

    /** Without measurements, nothing is held back. */
    @Test
    void automaticIsWhatTheNetworkSays() {
        SettableFeedback network = new SettableFeedback();
        TableRig rig =
                new TableRig("budget:auto", ELEMENTS, 4_080, false, FilterSite.NodeTraffic.ofFrames(ELEMENTS), network);
        mean(rig);
        assertEquals(0, rig.residualMax());
        network.bytesPerClock(20_000);
        assertEquals(20_000, mean(rig), 2_000);
    }

    private long clocks;

    private double mean(TableRig rig) {
        float[] update = new float[ELEMENTS];
        SplittableRandom random = new SplittableRandom(5);
        double sum = 0;
        for (int i = 1; i <= CLOCKS; i++) {
            Gradients.GAUSSIAN.fill(random, update);
            rig.clock(++clocks, update, random);
            sum += i > SETTLED ? rig.bytes() : 0;
        }
        return sum / (CLOCKS - SETTLED);
    }
}
