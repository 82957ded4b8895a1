package io.sluice.tree.planning;

import io.sluice.tree.spi.TreePlanner;
import io.sluice.tree.spi.TreePlannerProvider;
import java.util.function.Function;

/** The built-in planners. */
public enum StandardPlanner implements TreePlannerProvider {
    /** The shape with the shortest predicted time: {@link AutoPlanner}. */
    AUTO("auto", "auto", argument -> {
        StrategyArgument.none(argument);
        return new AutoPlanner();
    }),

    /** A tree of its own for each shard: {@link RotatedPlanner}. */
    ROTATED("rotated", "rotated[:T[,H]]", argument -> {
        StrategyArgument limits = StrategyArgument.of(argument, 2, 0);
        return new RotatedPlanner(limits.degree(), limits.depth());
    }),

    /** From worker to worker: {@link ChainPlanner}. */
    CHAIN("chain", "chain", argument -> {
        StrategyArgument.none(argument);
        return new ChainPlanner();
    }),

    /** Each worker forwards a part of each shard to all others: {@link StripesPlanner}. */
    STRIPES("stripes", "stripes", argument -> {
        StrategyArgument.none(argument);
        return new StripesPlanner();
    }),

    /** Each server sends to all: {@link FlatPlanner}. */
    FLAT("flat", "flat", argument -> {
        StrategyArgument.none(argument);
        return new FlatPlanner();
    }),

    /** One tree for all servers, as level as can be: {@link SharedPlanner}. */
    SHARED("shared", "shared[:T[,H]]", argument -> {
        StrategyArgument limits = StrategyArgument.of(argument, 2, 0);
        return new SharedPlanner(limits.degree(), limits.depth());
    }),

    /** One tree for all servers, as cheap as can be: {@link CheapestTreePlanner}. */
    P3("p3", "p3[:T[,H]]", argument -> {
        StrategyArgument limits = StrategyArgument.of(argument, 5, 3);
        return new CheapestTreePlanner(limits.degree(), limits.depth(), CheapestTreePlanner.LEAF_PENALTY);
    });

    private final String word;
    private final String form;
    private final Function<String, TreePlanner> factory;

    StandardPlanner(String word, String form, Function<String, TreePlanner> factory) {
        this.word = word;
        this.form = form;
        this.factory = factory;
    }

    @Override
    public String configName() {
        return word;
    }

    @Override
    public String form() {
        return form;
    }

    @Override
    public TreePlanner create(String argument) {
        return factory.apply(argument);
    }
}
