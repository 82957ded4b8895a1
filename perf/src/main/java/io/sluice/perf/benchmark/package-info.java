/**
 * Times loops that do one job in different ways: the harness gives each of them one turn in every round.
 *
 * <p>Each benchmark runs in a JVM of its own, as it would in a worker. In a JVM that they share, one benchmark's
 * profile is compiled into the loops of the others, and all are measured too slow.
 */
package io.sluice.perf.benchmark;
