/**
 * The thresholds of the filter: {@link io.sluice.filter.threshold.ThresholdSchedule schedules} by the clock alone,
 * {@link io.sluice.filter.threshold.NetworkThreshold} by the state of the network as well, and {@link
 * io.sluice.filter.threshold.EstimatedThreshold} so that a wanted share of the elements is kept.
 *
 * <p>The estimate has four replaceable parts: what is wanted ({@link io.sluice.filter.threshold.DensityTarget}), a
 * sample of what is about to be filtered ({@link io.sluice.filter.threshold.MagnitudeSample}), a quantile of it
 * ({@link io.sluice.filter.threshold.TailEstimator}), and the correction by what was really kept.
 */
package io.sluice.filter.threshold;
