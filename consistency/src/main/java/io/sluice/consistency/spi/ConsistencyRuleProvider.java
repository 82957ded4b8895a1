package io.sluice.consistency.spi;

import io.sluice.codecs.spi.NamedProvider;

/** A kind of consistency rule that the terms of a cluster can name. */
public interface ConsistencyRuleProvider extends NamedProvider<ConsistencyRule> {}
