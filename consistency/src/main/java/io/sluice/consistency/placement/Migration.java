package io.sluice.consistency.placement;

import io.sluice.consistency.terms.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Computes placements for servers that join and leave, moving as few slices as possible. The result is a pure function
 * of the earlier placement, because each node computes it separately.
 */
final class Migration {
    private final List<TableSpec> tables;
    private final int[][] owners;
    private final long[] load;

    /** A slice with its number of floats. */
    private record Piece(int table, int slice, int elements) {}

    private Migration(Placement before, List<TableSpec> tables, int leastServers) {
        long[] now = before.load(tables);
        this.tables = tables;
        this.load = Arrays.copyOf(now, Math.max(now.length, leastServers));
        this.owners = new int[tables.size()][];
        for (TableSpec table : tables) {
            int id = table.id();
            owners[id] = new int[table.slices()];
            Arrays.setAll(owners[id], slice -> before.owner(id, slice));
        }
    }

    /**
     * Moves the slices of a server to others, the largest first, each to the server with the lowest load.
     *
     * @param before the earlier placement
     * @param tables tables that are placed
     * @param leaver server that leaves
     * @param others other servers, at least one
     * @return a placement that differs in the leaver's slices alone
     */
    static Placement without(Placement before, List<TableSpec> tables, int leaver, BitSet others) {
        Migration migration = new Migration(before, tables, 0);
        for (Piece piece : migration.piecesOf(leaver)) {
            migration.move(piece, migration.least(others));
        }
        return new Placement(migration.load.length, migration.owners);
    }

    /**
     * Moves slices to a new server: as long as its load does not exceed the highest one, it takes the largest suitable
     * slice of the server with the highest load.
     *
     * @param before the earlier placement
     * @param tables tables that are placed
     * @param comer new server, which owns no slice yet
     * @param others other servers, at least one
     * @return a placement that differs in the new server's slices alone
     */
    static Placement with(Placement before, List<TableSpec> tables, int comer, BitSet others) {
        Migration migration = new Migration(before, tables, comer + 1);
        // by server, the slices not tried yet: one that was too large remains too large, so it is not tried again
        Map<Integer, Iterator<Piece>> untried = new HashMap<>();
        Piece piece = migration.nextFor(comer, others, untried);
        while (null != piece) {
            migration.move(piece, comer);
            piece = migration.nextFor(comer, others, untried);
        }
        return new Placement(migration.load.length, migration.owners);
    }

    private Piece nextFor(int comer, BitSet others, Map<Integer, Iterator<Piece>> untried) {
        int most = others.nextSetBit(0);
        for (int server = most; server >= 0; server = others.nextSetBit(server + 1)) {
            most = load[server] > load[most] ? server : most;
        }
        Iterator<Piece> pieces =
                untried.computeIfAbsent(most, server -> piecesOf(server).iterator());
        while (pieces.hasNext()) {
            Piece piece = pieces.next();
            if (load[comer] + piece.elements <= load[most] - piece.elements) {
                return piece;
            }
        }
        return null;
    }

    private void move(Piece piece, int to) {
        load[owners[piece.table][piece.slice]] -= piece.elements;
        load[to] += piece.elements;
        owners[piece.table][piece.slice] = to;
    }

    private int least(BitSet servers) {
        int least = servers.nextSetBit(0);
        for (int server = least; server >= 0; server = servers.nextSetBit(server + 1)) {
            least = load[server] < load[least] ? server : least;
        }
        return least;
    }

    /** The slices of a server, the largest first, and equal ones in the order of tables and slices. */
    private List<Piece> piecesOf(int server) {
        List<Piece> pieces = new ArrayList<>();
        for (TableSpec table : tables) {
            for (int slice = 0; slice < table.slices(); slice++) {
                if (owners[table.id()][slice] == server) {
                    pieces.add(new Piece(table.id(), slice, table.sliceLength(slice)));
                }
            }
        }
        pieces.sort(Comparator.comparingInt(Piece::elements).reversed());
        return pieces;
    }
}
