/**
 * The cost of failures: how long workers receive no broadcasts after the death of a relay, by how much snapshots
 * lengthen clocks and how many bytes they write, and how long a server that was killed takes to serve again.
 */
package io.sluice.perf.failure;
