/**
 * The thresholds of the filter. {@link io.sluice.filter.threshold.ThresholdSchedule Schedules} depend only on the
 * clock. {@link io.sluice.filter.threshold.NetworkThreshold} also depends on the state of the network. {@link
 * io.sluice.filter.threshold.EstimatedThreshold} keeps a target share of the elements.
 *
 * <p>The estimate has four replaceable parts: the wanted share ({@link io.sluice.filter.threshold.DensityTarget}), a
 * sample of the elements that are filtered next ({@link io.sluice.filter.threshold.MagnitudeSample}), a quantile of it
 * ({@link io.sluice.filter.threshold.TailEstimator}), and the correction by the share that was kept.
 */
package io.sluice.filter.threshold;
