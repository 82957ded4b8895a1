/** Runs real coordinators and nodes of the control plane on a simulated clock and network (decision 40). */
package io.sluice.trials.control;
