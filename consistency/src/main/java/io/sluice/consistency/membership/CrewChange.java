package io.sluice.consistency.membership;

/**
 * A worker takes part, or takes part no more, from a clock on: all nodes have agreed on it.
 *
 * @param clock  the first of which that holds
 * @param worker its index
 * @param joins  whether it takes part from then on
 */
public record CrewChange(long clock, int worker, boolean joins) {}
