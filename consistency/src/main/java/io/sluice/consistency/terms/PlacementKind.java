package io.sluice.consistency.terms;

import io.sluice.consistency.placement.LargestFirst;
import io.sluice.consistency.placement.PlacementStrategy;
import io.sluice.consistency.placement.RoundRobin;
import io.sluice.consistency.placement.UniformSplit;

/** How slices are spread over servers. */
public enum PlacementKind implements Choice {
    /** Equal runs of each table. */
    UNIFORM(new UniformSplit()),

    /** Slice by slice in turn. */
    ROUND_ROBIN(new RoundRobin()),

    /** Largest slices first, each to the least loaded server. */
    LARGEST_FIRST(new LargestFirst());

    private final PlacementStrategy strategy;

    PlacementKind(PlacementStrategy strategy) {
        this.strategy = strategy;
    }

    /**
     * The strategy itself.
     *
     * @return a stateless strategy
     */
    public PlacementStrategy strategy() {
        return strategy;
    }

    @Override
    public String configName() {
        return strategy.name();
    }
}
