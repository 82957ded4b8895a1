/** Sluice's own placements, update rules and factor selections, and those of users, by name. */
package io.sluice.consistency.standard;
