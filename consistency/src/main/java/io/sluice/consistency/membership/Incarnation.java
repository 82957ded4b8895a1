package io.sluice.consistency.membership;

/**
 * A node, as distinct from those that had its place before and those that take it later.
 *
 * @param node  id of the place
 * @param epoch in which the node was welcomed
 */
public record Incarnation(int node, int epoch) {}
