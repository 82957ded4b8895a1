package io.sluice.perf.broadcast;

import io.sluice.perf.cluster.Cost;

/**
 * One broadcast.
 *
 * @param seconds from when the last word came that let servers begin, to when the last worker had applied the last byte
 * @param cost    what it took beside
 */
record Broadcast(double seconds, Cost cost) {}
