/**
 * Plans of broadcast trees. A {@link io.sluice.tree.planning.TreePlanner} takes a {@link
 * io.sluice.tree.planning.BroadcastJob} and makes a {@link io.sluice.tree.planning.Forest} of {@link
 * io.sluice.tree.planning.RelayTree}s; {@link io.sluice.tree.planning.PlanEstimate} estimates its time and {@link
 * io.sluice.tree.planning.LowerBound} bounds that of any plan.
 *
 * <p>Plans are pure functions of the job: every node computes them by itself, with the same result.
 */
package io.sluice.tree.planning;
