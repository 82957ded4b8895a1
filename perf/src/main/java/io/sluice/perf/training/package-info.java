/** A small dense model, trained in one process, whose updates are recorded to measure with. */
package io.sluice.perf.training;
