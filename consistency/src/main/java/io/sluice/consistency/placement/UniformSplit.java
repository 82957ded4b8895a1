package io.sluice.consistency.placement;

import io.sluice.consistency.terms.TableSpec;
import java.util.List;

/**
 * Cuts each table into as many runs of slices as there are servers, of equal length to within one slice: server k owns
 * the k-th run (Parameter Flow, section 3.1: parameters are evenly partitioned).
 */
public final class UniformSplit implements PlacementStrategy {

    @Override
    public Placement place(List<TableSpec> tables, int servers) {
        int[][] owners = new int[tables.size()][];
        for (TableSpec table : tables) {
            int slices = table.slices();
            owners[table.id()] = new int[slices];
            for (int slice = 0; slice < slices; slice++) {
                owners[table.id()][slice] = (int) ((long) slice * servers / slices);
            }
        }
        return new Placement(servers, owners);
    }

    @Override
    public String name() {
        return "uniform";
    }
}
