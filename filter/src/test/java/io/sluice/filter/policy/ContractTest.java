package io.sluice.filter.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.UpdateFilter;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of every policy: nothing is lost, the residual is bounded ({@link TableRig} checks both at every clock),
 * initial values are sent in full, and the same run gives the same bytes.
 */
class ContractTest {
    private static final int CLOCKS = 25;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "none",
                "dvf:1",
                "fixed:0.7",
                "adaptive:0.5,2",
                "density:0.05",
                "density:0.003;warmup=10;every=1",
                "sidco:0.05;every=3",
                "topk:0.05",
                "topk:0.002;warmup=12",
                "budget:2kb",
                "budget:1mb;warmup=5"
            })
    void overManyClocks(String spec) {
        Property.holds(8, random -> {
            int sliceElements = random.nextInt(1, 700);
            TableRig rig = new TableRig(spec, random.nextInt(1, 5_000), sliceElements, random.nextBoolean());
            Gradients gradients = Gradients.values()[random.nextInt(Gradients.values().length)];
            float[] update = new float[rig.elements];
            for (int clock = 0; clock <= CLOCKS; clock++) {
                gradients.fill(random, update);
                rig.clock(clock, update, random);
                if (clock == 0) {
                    assertEquals(0, rig.residualMax());
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "dvf:1", "density:0.02", "sidco:0.02", "topk:0.02", "budget:9kb"})
    void sameRunSameBytes(String spec) {
        for (boolean server : new boolean[] {false, true}) {
            assertEquals(digest(spec, server, 1), digest(spec, server, 1));
            assertNotEquals(digest(spec, server, 1), digest(spec, server, 2));
        }
    }

    /** Servers finalise slices in the order that the network gives them: how much is sent must not depend on it. */
    @ParameterizedTest
    @ValueSource(strings = {"dvf:1", "density:0.02", "sidco:0.02", "topk:0.02", "budget:9kb;every=2"})
    void theOrderOfSlicesDoesNotMatter(String spec) {
        Property.holds(1, orders -> {
            TableRig[] rigs = new TableRig[2];
            SplittableRandom[] updates = new SplittableRandom[rigs.length];
            for (int i = 0; i < rigs.length; i++) {
                rigs[i] = new TableRig(spec, 20_003, 997, true);
                updates[i] = new SplittableRandom(7);
            }
            for (int clock = 1; clock <= CLOCKS; clock++) {
                for (int i = 0; i < rigs.length; i++) {
                    float[] update = new float[rigs[i].elements];
                    Gradients.MOODY.fill(updates[i], update);
                    rigs[i].clock(clock, update, orders);
                }
                assertEquals(rigs[0].kept(), rigs[1].kept());
                assertEquals(rigs[0].bytes(), rigs[1].bytes());
                assertEquals(rigs[0].filter.threshold(clock), rigs[1].filter.threshold(clock));
            }
            assertTrue(rigs[0].kept() > 0);
            assertNotEquals(rigs[0].digest(), rigs[1].digest(), "the orders were the same");
        });
    }

    @Test
    void noneSendsEverything() {
        TableRig rig = new TableRig("none", 3_000, 512, false);
        float[] update = new float[3_000];
        Gradients.GAUSSIAN.fill(new SplittableRandom(3), update);
        rig.clock(1, update, null);
        assertEquals(3_000, rig.kept());
        assertEquals(0, rig.residualMax());
    }

    /** What rounding leaves of an update is no update: it waits for the element's next one. */
    @ParameterizedTest
    @EnumSource(
            value = ValueType.class,
            names = {"BF16", "BF16_PACKED", "F16", "LOG8"})
    void noneSendsNoRoundingErrors(ValueType values) {
        Property.holds(4, random -> {
            int elements = 5_000;
            UpdateFilter filter =
                    FilterPolicies.named("none").create(new TableSite(Kernels.preferred(), values, elements, elements));
            MemorySegment residual = OffHeap.allocate((long) elements * Float.BYTES);
            MemorySegment room = OffHeap.allocate(BlockFormat.maxLength(elements));
            Block block = new Block();
            long updated = 0;
            long sent = 0;
            for (int clock = 1; clock <= CLOCKS; clock++) {
                float[] update = new float[elements];
                for (int i = 0; i < elements; i++) {
                    if (random.nextInt(20) == 0) {
                        update[i] = (float) (random.nextDouble(0.1, 1) * (random.nextBoolean() ? 1e-3 : -1e-3));
                        updated++;
                    }
                }
                filter.filter(update, 0, residual, 0, elements, clock, block.wrap(room, 0));
                sent += block.count();
            }
            assertEquals(updated, sent, 0.01 * updated);
        });
    }

    private static int digest(String spec, boolean server, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TableRig rig = new TableRig(spec, 20_003, 997, server);
        float[] update = new float[rig.elements];
        for (int clock = 1; clock <= CLOCKS; clock++) {
            Gradients.GAUSSIAN.fill(random, update);
            rig.clock(clock, update, random);
        }
        return rig.digest();
    }
}
