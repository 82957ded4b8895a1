/**
 * What failures cost: how long workers receive no broadcasts after the death of a relay, what snapshots add to the
 * clocks of a training run and write, and how long a server that was killed takes to serve again.
 */
package io.sluice.perf.failure;
