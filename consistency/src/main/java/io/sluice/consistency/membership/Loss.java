package io.sluice.consistency.membership;

/**
 * A worker that was taken for dead, and without which the cluster went on.
 *
 * @param worker its index
 * @param clock  that it had told of last; it may have pushed more
 */
public record Loss(int worker, long clock) {}
