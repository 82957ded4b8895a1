/**
 * The whole path of an update, from one trainer to the replicas of all workers:
 * {@link io.sluice.perf.exchange.LocalExchange} in one process over shared memory,
 * {@link io.sluice.perf.exchange.NetworkExchange} over links of a stated rate.
 */
package io.sluice.perf.exchange;
