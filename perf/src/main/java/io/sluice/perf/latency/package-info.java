/**
 * What delays one frame: sealing it, the hops of a chain, links that are full, and slices that wait before it (P3,
 * section 5).
 */
package io.sluice.perf.latency;
