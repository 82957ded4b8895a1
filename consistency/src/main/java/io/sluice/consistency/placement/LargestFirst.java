package io.sluice.consistency.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Places the largest slices first, each on the server that holds least so far (the LPT rule of Graham, 1969: no server
 * ends above 4/3 of the best possible maximum). Pays where tables and slices differ much in size.
 */
public final class LargestFirst implements PlacementStrategy {

    @Override
    public Placement place(final List<TableSpec> tables, final int servers) {
        final List<Piece> pieces = new ArrayList<>();
        final int[][] owners = new int[tables.size()][];
        for (final TableSpec table : tables) {
            owners[table.id()] = new int[table.slices()];
            for (int slice = 0; slice < table.slices(); slice++) {
                pieces.add(new Piece(table.id(), slice, table.sliceLength(slice)));
            }
        }
        pieces.sort(Comparator.comparingInt(Piece::elements).reversed()); // stable: ties keep table and slice order
        final long[] load = new long[servers];
        for (final Piece piece : pieces) {
            final int server = leastLoaded(load);
            owners[piece.table][piece.slice] = server;
            load[server] += piece.elements;
        }
        return new Placement(servers, owners);
    }

    @Override
    public String name() {
        return "largest-first";
    }

    private static int leastLoaded(final long[] load) {
        int least = 0;
        for (int server = 1; server < load.length; server++) {
            if (load[server] < load[least]) {
                least = server;
            }
        }
        return least;
    }

    private record Piece(int table, int slice, int elements) {}
}
