/**
 * The whole way of an update, from one trainer to the replicas of all.
 *
 * <p>In one process over shared memory: {@link io.sluice.perf.exchange.ExchangeBenchmark} prints; {@link
 * io.sluice.perf.exchange.Exchange} runs one cluster: a media driver, a server thread, and worker threads that each
 * record into a histogram of their own. Over links of a stated rate: {@link io.sluice.perf.exchange.ExchangeCommand}
 * compares ways, each of which is a {@link io.sluice.perf.exchange.NetworkExchange}.
 */
package io.sluice.perf.exchange;
