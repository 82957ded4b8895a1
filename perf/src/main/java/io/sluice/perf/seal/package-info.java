/** The cost of sealed frames: time of one core, and latency of a short frame. */
package io.sluice.perf.seal;
