package io.sluice.tree.spi;

import io.sluice.codecs.spi.NamedProvider;

/** A kind of tree planner that the terms of a cluster can name. */
public interface TreePlannerProvider extends NamedProvider<TreePlanner> {}
