package io.sluice.consistency.membership;

/**
 * One process in a place, as distinct from earlier and later processes in the same place.
 *
 * @param node  id of the place
 * @param epoch of the welcome of the node
 */
public record Incarnation(int node, int epoch) {}
