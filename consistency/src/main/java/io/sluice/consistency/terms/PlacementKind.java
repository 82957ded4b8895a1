package io.sluice.consistency.terms;

/** How slices are spread over servers. */
public enum PlacementKind implements Choice {
    /** Equal runs of each table. */
    UNIFORM,

    /** Slice by slice in turn. */
    ROUND_ROBIN,

    /** Largest slices first, each to the least loaded server. */
    LARGEST_FIRST
}
