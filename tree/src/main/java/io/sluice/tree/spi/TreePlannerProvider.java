package io.sluice.tree.spi;

import io.sluice.codecs.api.NamedProvider;

/**
 * A kind of planner that configurations can name. Sluice has some; others are found on the class path by
 * {@link java.util.ServiceLoader}: put the class's name into
 * {@code META-INF/services/io.sluice.tree.spi.TreePlannerProvider} on <em>every</em> node, give it a constructor
 * without arguments, and name it like the others.
 */
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
