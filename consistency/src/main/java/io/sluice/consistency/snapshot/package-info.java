/**
 * The state of nodes at one clock of all, on disk (decision 9): files, chains of them, folders, and when to
 * take the next.
 */
package io.sluice.consistency.snapshot;
