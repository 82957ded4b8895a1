/**
 * Measuring. For people, the commands of {@code sluice perf}, which run what is compared side by side; for developers,
 * benchmarks: JMH for what runs over memory, harnesses with histograms for what runs over time.
 *
 * <p>Each benchmark has a test that it computes the right thing. What is measured, in which unit, and what is left out
 * is said in each benchmark's own comment; how to run them, in docs/guide.md and docs/benchmarks.md.
 */
package io.sluice.perf;
