package io.sluice.perf.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The declaration of an experiment.
 *
 * @param description sentences for help; {@code perf list} shows the first
 * @param parameters  parameters, without the number of rounds
 */
public record Scenario(
        String name, List<String> description, int rounds, List<Parameter<?>> parameters, Layout layout, Plan plan) {
    private static final int MOST_ROUNDS = 1_000;

    /** Prepares experiments. */
    @FunctionalInterface
    public interface Plan {
        /**
         * Checks settings and prepares the experiment; nothing is opened yet.
         *
         * @throws IllegalArgumentException if the settings contradict one another
         */
        Experiment<?> prepare(Settings settings) throws IOException;
    }

    Parameter<Integer> roundsParameter() {
        return Parameter.whole("rounds", rounds, 1, MOST_ROUNDS).help("Measured turns of each variant");
    }

    List<Parameter<?>> allParameters() {
        List<Parameter<?>> all = new ArrayList<>(parameters);
        all.add(roundsParameter());
        return all;
    }
}
