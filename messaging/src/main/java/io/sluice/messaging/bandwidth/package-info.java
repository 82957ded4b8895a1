/**
 * What a path can carry: {@link io.sluice.messaging.bandwidth.DeliveryRate} estimates it from a stream's own traffic,
 * and {@link io.sluice.messaging.bandwidth.AvailableBandwidthSearch} sends probes where there is no traffic.
 *
 * <p>Rates are in bytes per second throughout.
 */
package io.sluice.messaging.bandwidth;
