/**
 * Times loops that do one job in different ways: the harness gives each of them one turn in every round.
 *
 * <p>Each benchmark runs in a JVM of its own, as it would in a worker. In a JVM that they share, one benchmark's
 * profile is compiled into the loops of the others, and all are measured too slow. But ratios between JVMs depend on
 * the pages and addresses that each of them got. So what is compared closely alternates in one JVM on the same memory
 * ({@link io.sluice.perf.benchmark.Benchmark#others}), which moves before each turn.
 */
package io.sluice.perf.benchmark;
