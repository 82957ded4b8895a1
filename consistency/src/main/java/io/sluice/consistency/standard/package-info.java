/** Sluice's own placements and update rules, and those of users, by name. */
package io.sluice.consistency.standard;
