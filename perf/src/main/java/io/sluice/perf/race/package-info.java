/**
 * Measures several ways of doing one job against each other, in one run: every round gives each of them one turn, in an
 * order that changes from round to round, so that a machine that slows down for a while slows them all.
 *
 * <p>Each contestant runs in a JVM of its own, as it would in a worker. In a JVM that they share they compile one
 * another's profiles into their loops, and are then measured as slow as the company they keep.
 */
package io.sluice.perf.race;
