/** Resolves the names in the terms of a cluster: rule, filter, compressors, order, placement, trees. */
package io.sluice.consistency.policy;
