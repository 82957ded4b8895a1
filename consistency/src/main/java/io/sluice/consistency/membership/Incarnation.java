package io.sluice.consistency.membership;

/**
 * One process in a place, distinct from earlier and later processes in the same place.
 *
 * @param node  id of the place
 * @param epoch epoch in which the process was welcomed
 */
public record Incarnation(int node, int epoch) {}
