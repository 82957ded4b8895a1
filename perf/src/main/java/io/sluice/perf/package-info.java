/**
 * Measuring: the commands of {@code sluice perf}, which run what they compare side by side.
 *
 * <p>Tests check that each contestant computes the right result. Each command's help says what it measures, in which
 * unit, and what it leaves out; docs/reference.md and docs/benchmarks.md say how to run them.
 */
package io.sluice.perf;
