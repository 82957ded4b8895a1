package io.sluice.consistency.spi;

import io.sluice.codecs.spi.NamedProvider;

/** A kind of update rule that the terms of a cluster can name. */
public interface UpdateRuleProvider extends NamedProvider<UpdateRule> {}
