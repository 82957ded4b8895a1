/**
 * How fast updates are filtered and applied, next to what the memory allows.
 *
 * <p>All benchmarks here walk over tables that no cache holds (64 MiB of f32 by default), a slice of 16,320 elements in
 * each invocation, and give their rate in elements, so that every rate can be divided by that of
 * {@link io.sluice.perf.filter.YardstickBenchmark} of the same run.
 */
package io.sluice.perf.filter;
