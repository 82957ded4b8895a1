/** The updates that measurements run on: drawn from a distribution, or recorded from a training. */
package io.sluice.perf.updates;
