/**
 * The whole way of an update, from one trainer to the replicas of all, in one process over shared memory.
 *
 * <p>{@link io.sluice.perf.exchange.ExchangeBenchmark} prints; {@link io.sluice.perf.exchange.Exchange} runs one
 * cluster: a media driver, a server thread, and worker threads that each record into a histogram of their own.
 */
package io.sluice.perf.exchange;
