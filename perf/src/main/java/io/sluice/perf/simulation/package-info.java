/** Broadcasts beyond what one machine can run: plans simulated frame by frame, for up to 10,000 hosts. */
package io.sluice.perf.simulation;
