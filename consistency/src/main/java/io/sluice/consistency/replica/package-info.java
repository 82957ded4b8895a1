/**
 * Several coordinators in place of one, each with the record of all decisions (decision 8): Aeron Cluster keeps the
 * log of them, and says which one leads. Only processes that are coordinators load any of this, but for the addresses
 * that {@link io.sluice.consistency.replica.LocalMembers} finds.
 */
package io.sluice.consistency.replica;
