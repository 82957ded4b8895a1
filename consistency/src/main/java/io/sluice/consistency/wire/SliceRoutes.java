package io.sluice.consistency.wire;

import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.RouteTable;
import java.util.List;

/**
 * Gives each slice one of the ways of the server that owns it, so that each way carries the part of the server's bytes
 * for which it was planned, and slices that follow one another, which are finalised one after another, go different
 * ways at once. Nothing but tables and trees decides, so all nodes come to the same.
 */
final class SliceRoutes implements RouteTable.SliceRoutes {
    private final char[][] routes;

    private SliceRoutes(char[][] routes) {
        this.routes = routes;
    }

    /**
     * Gives slices their ways.
     *
     * @param specs     all tables
     * @param placement of their slices
     * @param servers   that there are
     * @param trees     of all servers, in the order of the servers
     * @return the ways by which frames go
     */
    static RouteTable of(List<TableSpec> specs, Placement placement, int servers, List<BroadcastTree> trees) {
        char[][] routeOfSlice = new char[specs.size()][];
        RouteTable routes = new RouteTable(servers, trees, new SliceRoutes(routeOfSlice));
        double[] given = new double[trees.size()];
        for (TableSpec spec : specs) {
            routeOfSlice[spec.id()] = new char[spec.slices()];
            for (int slice = 0; slice < spec.slices(); slice++) {
                int server = placement.owner(spec.id(), slice);
                double bytes = (double) spec.sliceLength(slice) * Float.BYTES;
                int best = routes.tree(server, 0);
                for (int route = 1; route < routes.count(server); route++) {
                    int tree = routes.tree(server, route);
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
