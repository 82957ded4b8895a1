package io.sluice.consistency.spi;

import io.sluice.codecs.api.NamedProvider;
import io.sluice.codecs.api.PolicySpec;

/** A kind of placement that the terms of a cluster can name. */
public interface PlacementStrategyProvider extends NamedProvider {
    /**
     * Makes the strategy.
     *
     * @param spec specification that begins with this provider's word
     * @return the strategy
     * @throws IllegalArgumentException naming what is wrong; {@link PolicySpec} has the words for it
     */
    PlacementStrategy create(PolicySpec spec);
}
