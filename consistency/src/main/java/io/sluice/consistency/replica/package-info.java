/**
 * Several coordinators instead of one, each with the record of all decisions (decision 8): Aeron Cluster replicates
 * their log and elects the leader. Only processes that are coordinators load these classes, except for the addresses
 * that {@link io.sluice.consistency.membership.LocalMembers} finds.
 */
package io.sluice.consistency.replica;
