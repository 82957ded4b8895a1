package io.sluice.consistency.placement;

import io.sluice.consistency.terms.TableSpec;
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
     * The server that owns a slice.
     *
     * @param table id of the table
     * @param slice number of the slice
     * @return index of the server
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
