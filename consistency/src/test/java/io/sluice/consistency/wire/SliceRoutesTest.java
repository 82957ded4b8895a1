package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.RouteTable;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Each route of a server carries its planned share, to within a slice. */
class SliceRoutesTest {
    private static List<BroadcastTree> trees(long[] bytes) {
        List<BroadcastTree> trees = new ArrayList<>();
        for (long each : bytes) {
            trees.add(new BroadcastTree(0, each, List.of()));
        }
        return trees;
    }

    private static List<TableSpec> tables(SplittableRandom random, int sliceElements) {
        List<TableSpec> specs = new ArrayList<>();
        for (int id = 0; id < 1 + random.nextInt(4); id++) {
            specs.add(new TableSpec(id, "t" + id, random.nextInt(1, 40), random.nextInt(1, 500), sliceElements));
        }
        return specs;
    }

    private static Placement placement(List<TableSpec> specs, int servers) {
        return Placement.of("uniform", specs, servers);
    }

    @Test
    void routesCarryBytesByTheirWeights() {
        Property.holds(200, random -> {
            int sliceElements = random.nextInt(10, 500);
            List<TableSpec> specs = tables(random, sliceElements);
            int count = random.nextInt(1, 6);
            long[] weights = random.longs(count, 1_000, 4_000).toArray();
            Placement placement = placement(specs, 1);
            RouteTable routes = SliceRoutes.of(specs, placement, 1, trees(weights));
            double[] carried = new double[count];
            double all = 0;
            for (TableSpec spec : specs) {
                for (int slice = 0; slice < spec.slices(); slice++) {
                    double bytes = (double) spec.sliceLength(slice) * Float.BYTES;
                    carried[routes.route(routes.tree(0, spec.id(), slice))] += bytes;
                    all += bytes;
                }
                assertEquals(RouteTable.NONE, routes.tree(0, spec.id(), spec.slices()));
            }
            assertEquals(RouteTable.NONE, routes.tree(0, specs.size(), 0));
            double weightOfAll = 0;
            for (long weight : weights) {
                weightOfAll += weight;
            }
            for (int route = 0; route < count; route++) {
                double planned = all * weights[route] / weightOfAll;
                double slack = 4.0 * sliceElements * Float.BYTES;
                assertTrue(Math.abs(carried[route] - planned) <= slack, carried[route] + " instead of " + planned);
            }
        });
    }

    /**
     * Consecutive slices are finalised one after another and use different routes; small tables do not all use the
     * first route.
     */
    @Test
    void neighbouringSlicesUseDifferentRoutes() {
        List<TableSpec> specs = new ArrayList<>(List.of(new TableSpec(0, "w", 12, 100, 100)));
        for (int id = 1; id < 4; id++) {
            specs.add(new TableSpec(id, "b" + id, 1, 100, 100));
        }
        RouteTable routes = SliceRoutes.of(specs, placement(specs, 1), 1, trees(new long[] {800, 800, 800}));
        for (int slice = 0; slice < 12; slice++) {
            assertEquals(slice % 3, routes.tree(0, 0, slice));
        }
        for (int id = 1; id < 4; id++) {
            assertEquals(id - 1, routes.tree(0, id, 0));
        }
    }
}
