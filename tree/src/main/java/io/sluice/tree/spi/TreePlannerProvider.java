package io.sluice.tree.spi;

import io.sluice.codecs.api.NamedProvider;

/** A kind of tree planner that the terms of a cluster can name. */
public interface TreePlannerProvider extends NamedProvider {
    /**
     * Makes a planner.
     *
     * @param argument what follows the colon; empty if there is none
     * @return the planner
     * @throws IllegalArgumentException with a clause that says what is wrong with the argument
     */
    TreePlanner create(String argument);
}
