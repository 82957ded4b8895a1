package io.sluice.filter.spi;

import io.sluice.codecs.spi.NamedProvider;

/** A kind of filter policy that the terms of a cluster can name. */
public interface FilterPolicyProvider extends NamedProvider<FilterPolicy> {}
