/**
 * {@code sluice perf snapshots}: what snapshots add to the clocks of a training run, what they write, and how long a
 * server that was killed takes to serve again.
 */
package io.sluice.perf.snapshots;
