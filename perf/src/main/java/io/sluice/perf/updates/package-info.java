/** The updates with which measurements run: drawn from a distribution, or recorded from a training run. */
package io.sluice.perf.updates;
