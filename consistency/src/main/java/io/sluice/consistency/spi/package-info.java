/** What a user implements to add a placement, an update rule, a consistency rule or a factor selection. */
package io.sluice.consistency.spi;
