package io.sluice.consistency.spi;

import io.sluice.codecs.spi.NamedProvider;

/** A kind of placement that the terms of a cluster can name. */
public interface PlacementStrategyProvider extends NamedProvider<PlacementStrategy> {}
