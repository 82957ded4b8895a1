/** Small models, trained in one process, whose updates are recorded for measurements. */
package io.sluice.perf.training;
