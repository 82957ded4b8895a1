package io.sluice.consistency.placement;

import io.sluice.consistency.terms.TableSpec;
import java.util.List;

/**
 * Deals slices to servers in turn, continuing from one table to the next, so that many small tables spread as well as
 * one large table.
 */
public final class RoundRobin implements PlacementStrategy {

    @Override
    public Placement place(List<TableSpec> tables, int servers) {
        int[][] owners = new int[tables.size()][];
        int next = 0;
        for (TableSpec table : tables) {
            owners[table.id()] = new int[table.slices()];
            for (int slice = 0; slice < owners[table.id()].length; slice++) {
                owners[table.id()][slice] = next;
                next = (next + 1) % servers;
            }
        }
        return new Placement(servers, owners);
    }

    @Override
    public String name() {
        return "round-robin";
    }
}
