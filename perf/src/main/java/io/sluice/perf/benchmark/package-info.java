/**
 * Times loops that perform one job in different ways: the harness gives each of them one turn in every round.
 *
 * <p>Each benchmark runs in a JVM of its own, as it would in a worker. In a JVM that they share, one benchmark's
 * profile is compiled into the loops of the others, and all are measured too slow. But ratios between JVMs depend on
 * the pages and addresses of each. So benchmarks that are compared closely alternate in one JVM on the same memory
 * ({@link io.sluice.perf.benchmark.Benchmark#others}), which moves before each turn.
 */
package io.sluice.perf.benchmark;
