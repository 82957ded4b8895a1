package io.sluice.consistency.placement;

import io.sluice.consistency.terms.PlacementKind;
import io.sluice.consistency.terms.TableSpec;
import java.util.List;

/**
 * Decides which server owns which slice.
 *
 * <p>A strategy must be a pure function: workers and servers compute it separately and have to agree.
 */
public interface PlacementStrategy {

    /** The strategy of a kind. */
    static PlacementStrategy of(PlacementKind kind) {
        return switch (kind) {
            case UNIFORM -> new UniformSplit();
            case ROUND_ROBIN -> new RoundRobin();
            case LARGEST_FIRST -> new LargestFirst();
        };
    }

    /**
     * Places every slice of every table.
     *
     * @param tables  the tables, ids 0, 1, 2 ...
     * @param servers number of servers, at least 1
     * @return an owner for each slice
     */
    Placement place(List<TableSpec> tables, int servers);

    /**
     * Name of the strategy on command lines.
     *
     * @return a short lower-case word
     */
    String name();
}
