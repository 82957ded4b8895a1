/**
 * The harness of all experiments. A {@link io.sluice.perf.experiment.Scenario} declares parameters, columns and plots;
 * its {@link io.sluice.perf.experiment.Experiment} measures variants. The harness provides rounds, aggregation, tables,
 * JSON and plots: docs/decisions/0011-measurement.md#the-harness.
 */
package io.sluice.perf.experiment;
