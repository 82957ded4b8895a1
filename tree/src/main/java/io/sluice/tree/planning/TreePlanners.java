package io.sluice.tree.planning;

import io.sluice.codecs.Providers;
import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.spi.TreePlannerProvider;
import java.util.List;
import java.util.ServiceLoader;

/** Planners by name: those of Sluice ({@link StandardPlanner}) and those that users provide. */
public final class TreePlanners {
    private static final Providers<TreePlannerProvider> PROVIDERS = new Providers<>(
            "tree", "one of", List.of(StandardPlanner.values()), () -> ServiceLoader.load(TreePlannerProvider.class));

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
        TreePlannerProvider found = PROVIDERS.named(text, word);
        try {
            return found.create(colon < 0 ? "" : text.substring(colon + 1));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "tree is '" + text + "', expected " + found.form() + ": " + e.getMessage(), e);
        }
    }
}
