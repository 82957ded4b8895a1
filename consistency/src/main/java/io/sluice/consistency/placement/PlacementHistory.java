package io.sluice.consistency.placement;

import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The owner of each slice in each round, as servers join and leave. All nodes that have applied the same changes
 * have the same history.
 *
 * <p>For one thread. Lookups allocate nothing.
 */
public final class PlacementHistory {
    private final List<TableSpec> tables;
    private final BitSet servers = new BitSet();
    private final List<Era> eras = new ArrayList<>();

    /** A placement and the round from which it holds. */
    private record Era(long since, Placement placement) {}

    /**
     * Begins a history.
     *
     * @param tables  tables that are placed
     * @param first   first placement
     * @param atFirst number of servers in the first placement, which have the lowest indices
     */
    public PlacementHistory(List<TableSpec> tables, Placement first, int atFirst) {
        this.tables = List.copyOf(tables);
        servers.set(0, atFirst);
        eras.add(new Era(0, first));
    }

    /**
     * Creates the history of a new cluster: its first placement, without changes.
     *
     * @param settings settings of the cluster
     * @param specs    all tables
     * @return a history without changes
     */
    public static PlacementHistory of(ClusterSettings settings, List<TableSpec> specs) {
        int servers = settings.servers();
        return new PlacementHistory(specs, Placement.of(settings, specs), servers);
    }

    /**
     * The placement for a round under the agreed changes, a function of both.
     *
     * @param changes changes of the servers, all changes from the start in order; never fewer than in the last call
     * @param round   round of which slices are pushed and broadcast
     * @return the same object for all rounds between two changes
     */
    public Placement at(List<WorkerSetChange> changes, long round) {
        for (int known = eras.size() - 1; known < changes.size(); known++) {
            WorkerSetChange change = changes.get(known);
            change(change.clock(), change.index(), change.joins());
        }
        return at(round);
    }

    /**
     * Adds a change: a server begins or ceases to own slices.
     *
     * @param since  first round of the change, later than all rounds so far
     * @param server index of the server
     * @param joins  whether it owns slices from then on
     * @throws IllegalArgumentException if the change has no effect, the round is not later, or no server would be left
     */
    public void change(long since, int server, boolean joins) {
        if (since <= eras.getLast().since || servers.get(server) == joins || !joins && servers.cardinality() == 1) {
            throw new IllegalArgumentException("server " + server + (joins ? " joins" : " leaves") + " at round "
                    + since + ", which does not fit after round " + eras.getLast().since + " with servers " + servers);
        }
        Placement before = last();
        Placement after;
        if (joins) {
            after = Migration.with(before, tables, server, servers);
            servers.set(server);
        } else {
            servers.clear(server);
            after = Migration.without(before, tables, server, servers);
        }
        eras.add(new Era(since, after));
    }

    /**
     * The placement for a round.
     *
     * @param round round of which slices are pushed and broadcast
     * @return the same object for all rounds between two changes
     */
    public Placement at(long round) {
        for (int i = eras.size() - 1; i > 0; i--) {
            if (eras.get(i).since <= round) {
                return eras.get(i).placement;
            }
        }
        return eras.getFirst().placement;
    }

    /**
     * The placement after all changes.
     *
     * @return the placement of the last round
     */
    public Placement last() {
        return eras.getLast().placement;
    }
}
