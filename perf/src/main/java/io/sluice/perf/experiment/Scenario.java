package io.sluice.perf.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The declaration of an experiment.
 *
 * @param name        name on the command line
 * @param description sentences for help; {@code perf list} shows the first
 * @param rounds      default number of turns of each variant
 * @param parameters  parameters, without the number of rounds
 * @param layout      layout of rows, tables and plots
 * @param plan        checks settings and prepares the experiment
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
         * @throws IOException              if a file that they name cannot be read
         */
        Experiment<?> prepare(Settings settings) throws IOException;
    }

    /** The number of rounds. */
    Parameter<Integer> roundsParameter() {
        return Parameter.whole("rounds", rounds, 1, MOST_ROUNDS, "Turns of each variant that count");
    }

    /** All parameters. */
    List<Parameter<?>> allParameters() {
        List<Parameter<?>> all = new ArrayList<>(parameters);
        all.add(roundsParameter());
        return all;
    }
}
