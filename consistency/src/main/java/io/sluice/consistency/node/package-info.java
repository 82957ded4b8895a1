/** How a node is configured: what servers and workers have in common. */
package io.sluice.consistency.node;
