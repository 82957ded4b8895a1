/**
 * The measuring commands of {@code sluice perf}, which run the compared systems side by side.
 *
 * <p>Tests check that each system computes the right result. Each command's help states what it measures, in which
 * unit, and what it leaves out; docs/reference.md and docs/benchmarks.md describe how to run them.
 */
package io.sluice.perf;
