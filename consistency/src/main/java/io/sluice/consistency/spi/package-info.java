/** What a user implements to add a placement, an update rule or a consistency rule. */
package io.sluice.consistency.spi;
