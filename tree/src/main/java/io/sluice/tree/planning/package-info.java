/**
 * Who passes a broadcast on to whom. A {@link io.sluice.tree.planning.TreePlanner} takes a
 * {@link io.sluice.tree.planning.BroadcastJob} and makes a {@link io.sluice.tree.planning.Forest} of
 * {@link io.sluice.tree.planning.RelayTree}s; {@link io.sluice.tree.planning.PlanEstimate} says what it costs and
 * {@link io.sluice.tree.planning.LowerBound} what no plan gets below.
 *
 * <p>Plans are pure functions of the job: every node computes them for itself and all arrive at the same one.
 */
package io.sluice.tree.planning;
