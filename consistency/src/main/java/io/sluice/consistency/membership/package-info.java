/**
 * The control plane: members and terms of the cluster, joins, the plan, heartbeats, departures and failures.
 *
 * <p>One {@link io.sluice.consistency.membership.Coordinator} runs in the first server's process. Every node, that
 * server included, holds a {@link io.sluice.consistency.membership.Membership} that talks to it on a control stream of
 * its own, from a thread of its own, so that neither data nor a long computation can delay a heartbeat.
 */
package io.sluice.consistency.membership;
