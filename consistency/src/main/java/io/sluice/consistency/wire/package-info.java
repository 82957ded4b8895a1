/** The frames that nodes of a cluster write to one another, and the Aeron streams that carry them. */
package io.sluice.consistency.wire;
