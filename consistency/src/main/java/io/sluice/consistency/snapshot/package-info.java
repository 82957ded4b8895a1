/**
 * The state of nodes at one clock of all, on disk (decisions 28 and 34): files, chains of them, folders, and when to
 * take the next.
 */
package io.sluice.consistency.snapshot;
