/**
 * How fast updates are filtered and applied, next to what the memory allows: the command {@code sluice perf filter},
 * and JMH's benchmarks.
 *
 * <p>All walk over tables that no cache holds (64 MiB of f32 by default), in slices of 16,320 elements, and give their
 * rate in elements, so that every rate can be divided by that of the plain pass of the same run ({@link
 * io.sluice.perf.filter.YardstickBenchmark} for the benchmarks).
 */
package io.sluice.perf.filter;
