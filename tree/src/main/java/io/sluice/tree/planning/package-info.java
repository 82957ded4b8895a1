/**
 * Plans of broadcast trees. A {@link io.sluice.tree.spi.TreePlanner} takes a {@link
 * io.sluice.tree.spi.BroadcastJob} and makes a {@link io.sluice.tree.spi.Forest} of {@link
 * io.sluice.tree.spi.RelayTree}s; {@link io.sluice.tree.planning.PlanEstimate} estimates its time and
 * {@link io.sluice.tree.planning.LowerBound} bounds the time of any plan.
 *
 * <p>Plans are pure functions of the job: every node computes them itself, with the same result.
 */
package io.sluice.tree.planning;
