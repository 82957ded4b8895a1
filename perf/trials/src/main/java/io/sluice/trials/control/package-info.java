/** Runs real coordinators and nodes of the control plane on a simulated clock and network (decision 8). */
package io.sluice.trials.control;
