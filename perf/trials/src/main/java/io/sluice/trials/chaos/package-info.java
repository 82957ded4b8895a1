/**
 * Chaos trials of a cluster of many processes: they are killed, paused, cut off, deprived of disk space and attacked
 * with hostile frames, and their replicas must equal those of an undisturbed job.
 */
package io.sluice.trials.chaos;
