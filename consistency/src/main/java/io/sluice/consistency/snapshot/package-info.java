/** The state of nodes at one clock of all, on disk (decision 28): files, folders, and when to take the next. */
package io.sluice.consistency.snapshot;
