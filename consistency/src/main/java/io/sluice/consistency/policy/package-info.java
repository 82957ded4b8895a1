/** What the terms of a cluster name: rule, filter, compressors, order, placement, trees. */
package io.sluice.consistency.policy;
