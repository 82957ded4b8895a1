/**
 * Broadcasts from a server to every worker: the plan of senders and receivers ({@link io.sluice.tree.planning}, over
 * the network of {@link io.sluice.tree.topology}) and the sending ({@link io.sluice.tree.FanOut}).
 *
 * <p>The package deals with nodes, hosts and frames of bytes. It does not depend on tables, clocks or filters, so a
 * relay can be built on it that never decodes what it forwards.
 */
package io.sluice.tree;
