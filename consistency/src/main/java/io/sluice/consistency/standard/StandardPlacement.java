package io.sluice.consistency.standard;

import io.sluice.codecs.spi.PolicySpec;
import io.sluice.consistency.spi.PlacementStrategy;
import io.sluice.consistency.spi.PlacementStrategyProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The built-in placements. */
enum StandardPlacement implements PlacementStrategyProvider {
    /**
     * Cuts each table into as many runs of slices as there are servers, of equal length to within one slice (Parameter
     * Flow, section 3.1: parameters are evenly partitioned). Servers own the runs in turn. The first run of a table
     * belongs to the server with the lowest load of earlier tables, so that tables of few slices spread, too.
     */
    UNIFORM("uniform") {
        @Override
        void place(int[][] lengths, int servers, int[][] owners) {
            long[] load = new long[servers];
            for (int table = 0; table < lengths.length; table++) {
                int first = leastLoaded(load);
                int slices = lengths[table].length;
                for (int slice = 0; slice < slices; slice++) {
                    int run = (int) ((long) slice * servers / slices);
                    int server = (first + run) % servers;
                    owners[table][slice] = server;
                    load[server] += lengths[table][slice];
                }
            }
        }
    },

    /**
     * Deals slices to servers in turn, continuing from one table to the next, so that many small tables spread as well
     * as one large table.
     */
    ROUND_ROBIN("round-robin") {
        @Override
        void place(int[][] lengths, int servers, int[][] owners) {
            int next = 0;
            for (int[] table : owners) {
                for (int slice = 0; slice < table.length; slice++) {
                    table[slice] = next;
                    next = (next + 1) % servers;
                }
            }
        }
    },

    /**
     * Places the largest slices first, each on the server with the lowest load (the LPT rule of Graham, 1969: no server
     * ends above 4/3 of the best possible maximum). It is useful if tables and slices differ much in size.
     */
    LARGEST_FIRST("largest-first") {
        @Override
        void place(int[][] lengths, int servers, int[][] owners) {
            List<Piece> pieces = new ArrayList<>();
            for (int table = 0; table < lengths.length; table++) {
                for (int slice = 0; slice < lengths[table].length; slice++) {
                    pieces.add(new Piece(table, slice, lengths[table][slice]));
                }
            }
            pieces.sort(Comparator.comparingInt(Piece::floats).reversed()); // stable: ties keep table and slice order
            long[] load = new long[servers];
            for (Piece piece : pieces) {
                int server = leastLoaded(load);
                owners[piece.table][piece.slice] = server;
                load[server] += piece.floats;
            }
        }
    };

    private final String word;

    StandardPlacement(String word) {
        this.word = word;
    }

    private record Piece(int table, int slice, int floats) {}

    abstract void place(int[][] lengths, int servers, int[][] owners);

    @Override
    public String configName() {
        return word;
    }

    @Override
    public String form() {
        return word;
    }

    @Override
    public PlacementStrategy create(PolicySpec spec) {
        spec.requireArguments(0).allowOptions();
        return (lengths, servers) -> {
            int[][] owners = new int[lengths.length][];
            for (int table = 0; table < lengths.length; table++) {
                owners[table] = new int[lengths[table].length];
            }
            place(lengths, servers, owners);
            return owners;
        };
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
}
