package io.sluice.consistency.placement;

import io.sluice.consistency.terms.TableSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Places the largest slices first, each on the server with the lowest load (the LPT rule of Graham, 1969: no server
 * ends above 4/3 of the best possible maximum). It is useful if tables and slices differ much in size.
 */
public final class LargestFirst implements PlacementStrategy {

    @Override
    public Placement place(List<TableSpec> tables, int servers) {
        List<Piece> pieces = new ArrayList<>();
        int[][] owners = new int[tables.size()][];
        for (TableSpec table : tables) {
            owners[table.id()] = new int[table.slices()];
            for (int slice = 0; slice < table.slices(); slice++) {
                pieces.add(new Piece(table.id(), slice, table.sliceLength(slice)));
            }
        }
        pieces.sort(Comparator.comparingInt(Piece::elements).reversed()); // stable: ties keep table and slice order
        long[] load = new long[servers];
        for (Piece piece : pieces) {
            int server = leastLoaded(load);
            owners[piece.table][piece.slice] = server;
            load[server] += piece.elements;
        }
        return new Placement(servers, owners);
    }

    @Override
    public String name() {
        return "largest-first";
    }

    private static int leastLoaded(long[] load) {
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
