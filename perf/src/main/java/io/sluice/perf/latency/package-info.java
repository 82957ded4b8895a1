/**
 * Measures the delays of one frame: sealing, the hops of a chain, full links, and slices that wait before it (P3,
 * section 5).
 */
package io.sluice.perf.latency;
