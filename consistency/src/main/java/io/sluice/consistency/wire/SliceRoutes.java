package io.sluice.consistency.wire;

import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.RouteTable;
import java.util.List;

/**
 * Assigns each slice to a route of its owner, so that each route carries the planned share of the owner's bytes, and
 * consecutive slices, which are finalised one after another, use different routes at once. The result depends on tables
 * and trees only, so it is equal at all nodes.
 */
final class SliceRoutes implements RouteTable.SliceRoutes {
    private final char[][] routes;

    private SliceRoutes(char[][] routes) {
        this.routes = routes;
    }

    /**
     * Assigns slices to routes.
     *
     * @param specs     all tables
     * @param placement placement of their slices
     * @param roots     number of nodes that own slices, or may own them
     * @param trees     trees of these nodes, in their order
     * @return the routes of the frames
     */
    static RouteTable of(List<TableSpec> specs, Placement placement, int roots, List<BroadcastTree> trees) {
        char[][] routeOfSlice = new char[specs.size()][];
        RouteTable routes = new RouteTable(roots, trees, new SliceRoutes(routeOfSlice));
        double[] given = new double[trees.size()];
        for (TableSpec spec : specs) {
            routeOfSlice[spec.id()] = new char[spec.slices()];
            for (int slice = 0; slice < spec.slices(); slice++) {
                int root = placement.owner(spec.id(), slice);
                if (root >= roots) {
                    continue; // a worker sends it
                }
                double bytes = (double) spec.sliceLength(slice) * Float.BYTES;
                int best = routes.tree(root, 0);
                for (int route = 1; route < routes.count(root); route++) {
                    int tree = routes.tree(root, route);
                    double turn = (given[tree] + bytes) / trees.get(tree).bytes();
                    best = turn < (given[best] + bytes) / trees.get(best).bytes() ? tree : best;
                }
                given[best] += bytes;
                routeOfSlice[spec.id()][slice] = (char) routes.route(best);
            }
        }
        return routes;
    }

    @Override
    public int of(int table, int slice) {
        return table < routes.length && slice >= 0 && slice < routes[table].length
                ? routes[table][slice]
                : RouteTable.NONE;
    }
}
