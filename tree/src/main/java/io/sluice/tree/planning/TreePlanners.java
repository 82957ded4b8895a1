package io.sluice.tree.planning;

import static io.sluice.codecs.Providers.own;

import io.sluice.codecs.Providers;
import io.sluice.codecs.spi.NamedProvider;
import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.spi.TreePlannerProvider;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Planners by name, those of Sluice and those that users provide:
 *
 * <ul>
 *   <li>{@code auto}: the shape with the shortest predicted time ({@link AutoPlanner});
 *   <li>{@code rotated[:T[,H]]}: a tree of its own for each shard ({@link RotatedPlanner});
 *   <li>{@code chain}: from worker to worker ({@link ChainPlanner});
 *   <li>{@code stripes}: each worker forwards a part of each shard to all others ({@link StripesPlanner});
 *   <li>{@code flat}: each server sends to all ({@link FlatPlanner});
 *   <li>{@code shared[:T[,H]]}: one tree for all servers, as level as possible ({@link SharedPlanner});
 *   <li>{@code p3[:T[,H]]}: one tree for all servers, as cheap as possible ({@link CheapestTreePlanner}).
 * </ul>
 *
 * A host has at most T children in one tree, and a worker is at most H hops from a server.
 */
public final class TreePlanners {
    private static final int MAX_LIMIT = 100_000;

    private static final Providers<TreePlanner> PROVIDERS = new Providers<>(
            "tree",
            "one of",
            List.of(
                    own("auto", AutoPlanner::new),
                    limited("rotated", 2, 0, RotatedPlanner::new),
                    own("chain", ChainPlanner::new),
                    own("stripes", StripesPlanner::new),
                    own("flat", FlatPlanner::new),
                    limited("shared", 2, 0, SharedPlanner::new),
                    limited(
                            "p3",
                            5,
                            3,
                            (degree, depth) ->
                                    new CheapestTreePlanner(degree, depth, CheapestTreePlanner.LEAF_PENALTY))),
            () -> ServiceLoader.load(TreePlannerProvider.class));

    private TreePlanners() {}

    /**
     * Creates a planner.
     *
     * @param text name of the planner, such as {@code auto}, {@code rotated:3} or {@code p3:5,3}
     * @return the planner
     * @throws IllegalArgumentException if no planner has that name (the message lists the names) or an argument is
     *     wrong; if two providers have the same name, or one cannot be loaded
     */
    public static TreePlanner named(String text) {
        return PROVIDERS.create(text);
    }

    /** A planner of trees with limits; a default depth of 0 means as many hops as the tree needs. */
    private static NamedProvider<TreePlanner> limited(String word, int degree, int depth, Limited maker) {
        return own(word, word + "[:T[,H]]", spec -> {
            (1 == spec.arguments() ? spec : spec.requireArguments(0, 2)).allowOptions();
            int given = spec.arguments();
            return maker.create(
                    given > 0 ? spec.whole(0, 1, MAX_LIMIT) : degree, given > 1 ? spec.whole(1, 1, MAX_LIMIT) : depth);
        });
    }

    private interface Limited {
        TreePlanner create(int degree, int depth);
    }
}
