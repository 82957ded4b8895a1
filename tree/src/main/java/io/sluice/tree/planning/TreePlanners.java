package io.sluice.tree.planning;

import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.spi.TreePlannerProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Planners by name: those of Sluice ({@link StandardPlanner}) and those that users provide. */
public final class TreePlanners {
    private TreePlanners() {}

    /**
     * Makes a planner.
     *
     * @param text name of the planner, such as {@code auto}, {@code rotated:3} or {@code p3:5,3}
     * @return the planner
     * @throws IllegalArgumentException if no planner has that name (the message lists the names) or an argument is
     *     wrong; if two providers have the same word, or one cannot be loaded
     */
    public static TreePlanner named(String text) {
        int colon = text.indexOf(':');
        String word = colon < 0 ? text : text.substring(0, colon);
        TreePlannerProvider found = null;
        List<TreePlannerProvider> providers = providers();
        for (TreePlannerProvider provider : providers) {
            if (provider.configName().equals(word)) {
                if (found != null) {
                    throw new IllegalArgumentException("strategy '" + word + "' is provided by both " + found.getClass()
                            + " and " + provider.getClass() + ", expected one");
                }
                found = provider;
            }
        }
        if (found == null) {
            throw new IllegalArgumentException("tree is '" + text + "', expected one of "
                    + providers.stream().map(TreePlannerProvider::form).collect(Collectors.joining(", ")));
        }
        try {
            return found.create(colon < 0 ? "" : text.substring(colon + 1));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "tree is '" + text + "', expected " + found.form() + ": " + e.getMessage(), e);
        }
    }

    /**
     * All planners that can be named.
     *
     * @return Sluice's own, then those on the class path
     * @throws IllegalArgumentException if a planner on the class path is named as a service but cannot be loaded
     */
    public static List<TreePlannerProvider> providers() {
        List<TreePlannerProvider> providers = new ArrayList<>(List.of(StandardPlanner.values()));
        try {
            ServiceLoader.load(TreePlannerProvider.class).forEach(providers::add);
        } catch (ServiceConfigurationError e) {
            throw new IllegalArgumentException("a planner on the class path cannot be loaded: " + e.getMessage(), e);
        }
        return providers;
    }
}
