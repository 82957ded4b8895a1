package io.sluice.consistency.spi;

import io.sluice.codecs.spi.NamedProvider;

/** A kind of factor selection that a factor table can name. */
public interface FactorSelectionProvider extends NamedProvider<FactorSelection.Policy> {}
