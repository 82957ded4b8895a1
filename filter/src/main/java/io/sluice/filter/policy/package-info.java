/**
 * What is kept, as configuration names it: {@link io.sluice.filter.policy.FilterPolicies} turns a text into a {@link
 * io.sluice.filter.spi.FilterPolicy}, which makes the filter of each table and direction. {@link
 * io.sluice.filter.spi.FilterPolicyProvider} is how a user adds one.
 */
package io.sluice.filter.policy;
