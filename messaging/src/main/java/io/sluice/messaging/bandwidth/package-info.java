/**
 * What a path can carry: {@link io.sluice.messaging.bandwidth.DeliveryRate} learns it from the traffic there is,
 * {@link io.sluice.messaging.bandwidth.AvailableBandwidthSearch} sends probes where there is none.
 *
 * <p>Rates are in bytes per second throughout.
 */
package io.sluice.messaging.bandwidth;
