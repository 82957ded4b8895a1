package io.sluice.consistency.placement;

import io.sluice.consistency.standard.Placements;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The server that owns each slice of each table.
 *
 * <p>Immutable.
 */
public final class Placement {
    private final int servers;
    private final int[][] owners;

    /**
     * Records a placement.
     *
     * @param servers number of servers
     * @param owners  owning server of each slice, for each table in order of id; the array must not change afterwards
     */
    Placement(int servers, int[][] owners) {
        this.servers = servers;
        this.owners = owners;
    }

    /**
     * Places the slices of tables.
     *
     * @param strategy name of the strategy
     * @param tables   the tables, ids 0, 1, 2 ...
     * @param servers  number of servers, at least 1
     * @return an owner for each slice
     * @throws IllegalArgumentException if a strategy of the user's does not give each slice one of the servers
     */
    public static Placement of(String strategy, List<TableSpec> tables, int servers) {
        int[][] lengths = new int[tables.size()][];
        for (TableSpec table : tables) {
            lengths[table.id()] =
                    IntStream.range(0, table.slices()).map(table::sliceLength).toArray();
        }
        int[][] owners = Placements.named(strategy).place(lengths, servers);
        for (TableSpec table : tables) {
            for (int slice = 0; slice < table.slices(); slice++) {
                boolean isPlaced = null != owners
                        && table.id() < owners.length
                        && null != owners[table.id()]
                        && slice < owners[table.id()].length;
                int owner = isPlaced ? owners[table.id()][slice] : -1;
                if (owner < 0 || owner >= servers) {
                    throw new IllegalArgumentException("placement " + strategy + " gives slice " + slice + " of table "
                            + table.name() + (isPlaced ? " the owner " + owner : " no owner")
                            + ", expected a server from 0 to " + (servers - 1));
                }
            }
        }
        return new Placement(servers, owners);
    }

    /**
     * Places the slices of tables by the terms of a cluster. If workers exchange what they consume among themselves,
     * such a table has no slice at a server: each worker's node owns the blocks that it writes, of equal numbers of
     * slices in the order of workers. What follows the blocks is the last worker's.
     *
     * @param settings terms of the cluster
     * @param tables   the tables, ids 0, 1, 2 ...
     * @return an owner for each slice, by node
     * @throws IllegalArgumentException if a strategy of the user's does not give each slice one of the servers
     */
    public static Placement of(ClusterSettings settings, List<TableSpec> tables) {
        if (!settings.isPeer()) {
            return of(settings.placement(), tables, settings.servers());
        }
        List<TableSpec> served = new ArrayList<>();
        for (TableSpec table : tables) {
            if (!table.consumed()) {
                served.add(new TableSpec(
                        served.size(), table.name(), table.rows(), table.columns(), table.sliceElements()));
            }
        }
        int[][] ofServers =
                served.isEmpty() ? new int[0][] : of(settings.placement(), served, settings.servers()).owners;
        int[][] owners = new int[tables.size()][];
        int next = 0;
        for (TableSpec table : tables) {
            owners[table.id()] = table.consumed() ? writers(table, settings) : ofServers[next++];
        }
        return new Placement(settings.servers(), owners);
    }

    private static int[] writers(TableSpec table, ClusterSettings settings) {
        // at least 1, because a faulty declaration may have fewer slices than workers
        int ofWorker = Math.max(1, table.slices() / settings.workers());
        return IntStream.range(0, table.slices())
                .map(slice -> settings.serverPlaces() + Math.min(slice / ofWorker, settings.workers() - 1))
                .toArray();
    }

    /**
     * The server that owns a slice.
     *
     * @param table id of the table
     * @param slice number of the slice
     * @return index of the server, or the node of the worker that writes it
     */
    public int owner(int table, int slice) {
        return owners[table][slice];
    }

    /**
     * The slices of a table that one server owns.
     *
     * @param table  id of the table
     * @param server index of the server
     * @return slice numbers, ascending; empty if it owns none
     */
    public int[] slicesOf(int table, int server) {
        int[] row = owners[table];
        return IntStream.range(0, row.length)
                .filter(slice -> row[slice] == server)
                .toArray();
    }

    /**
     * Floats that each server owns, over all tables.
     *
     * @param tables the tables that were placed
     * @return one sum per server
     */
    public long[] load(List<TableSpec> tables) {
        long[] load = new long[servers];
        for (TableSpec table : tables) {
            for (int slice = 0; slice < table.slices(); slice++) {
                load[owner(table.id(), slice)] += table.sliceLength(slice);
            }
        }
        return load;
    }
}
