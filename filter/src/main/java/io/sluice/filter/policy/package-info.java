/**
 * The policies by which filters keep elements, as the configuration names them: {@link
 * io.sluice.filter.policy.FilterPolicies} turns a text into a {@link io.sluice.filter.spi.FilterPolicy}, which makes
 * the filter of each table and direction. A user adds one with a {@link io.sluice.filter.spi.FilterPolicyProvider}.
 */
package io.sluice.filter.policy;
