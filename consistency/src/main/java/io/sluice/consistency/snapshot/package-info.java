/** The state of all nodes at one clock, on disk (decision 9): files, chains of files, folders, and the schedule. */
package io.sluice.consistency.snapshot;
