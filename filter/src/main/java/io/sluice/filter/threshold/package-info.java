/**
 * The thresholds of the filter: {@link io.sluice.filter.threshold.ThresholdSchedule schedules} by the clock alone,
 * {@link io.sluice.filter.threshold.NetworkThreshold} also by the state of the network, and {@link
 * io.sluice.filter.threshold.EstimatedThreshold} such that a wanted share of the elements is kept.
 *
 * <p>The estimate has four replaceable parts: the wanted share ({@link io.sluice.filter.threshold.DensityTarget}), a
 * sample of the elements that are filtered next ({@link io.sluice.filter.threshold.MagnitudeSample}), a quantile of it
 * ({@link io.sluice.filter.threshold.TailEstimator}), and the correction by the share that was kept.
 */
package io.sluice.filter.threshold;
