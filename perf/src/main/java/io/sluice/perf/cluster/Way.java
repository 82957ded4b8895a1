package io.sluice.perf.cluster;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Protocol;
import io.sluice.console.Suggestions;
import io.sluice.filter.policy.FilterPolicies;
import io.sluice.perf.experiment.Parameter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The terms in which a job differs from others that train the same model, by the names of the options of {@code train}.
 *
 * @param text the terms as they are written, such as {@code filter=dvf:0.1 consistency=ssp:4}
 * @param terms values by name
 */
public record Way(String text, Map<String, String> terms) {
    private static final String LOCAL = "local";
    private static final String CLOCKS = "clocks";
    private static final String SLICE = "slice";
    private static final List<String> NAMES = List.of(
            "protocol",
            "filter",
            "broadcast-filter",
            "values",
            "consistency",
            "rule",
            "order",
            "tree",
            SLICE,
            LOCAL,
            CLOCKS);

    /** Several ways, each of which begins with a name. */
    public static final String SEPARATOR = ",(?=[a-z-]+=)";

    /** Reads the terms of a way. */
    public static Way parse(String option, String text) {
        Map<String, String> terms = new LinkedHashMap<>();
        for (String term : text.split("\\s+")) {
            String[] parts = term.split("=", 2);
            if (parts.length < 2 || !NAMES.contains(parts[0])) {
                throw new IllegalArgumentException(
                        option + " has the term '" + term + "', expected NAME=VALUE with one of the names "
                                + String.join(", ", NAMES) + Suggestions.question(parts[0], NAMES));
            }
            if (null != terms.put(parts[0], parts[1])) {
                throw Parameter.refusal(option, text, "each name once");
            }
        }
        for (String number : List.of(LOCAL, CLOCKS, SLICE)) {
            if (!terms.getOrDefault(number, "1").matches("[1-9]\\d{0,5}")) {
                throw Parameter.refusal(option, number + "=" + terms.get(number), "a whole number from 1 to 999999");
            }
        }
        return new Way(text, terms);
    }

    /** Steps of a worker in a clock. */
    public int localSteps() {
        return Integer.parseInt(terms.getOrDefault(LOCAL, "1"));
    }

    /** Number of clocks of this way, or {@code ofAll} if the way states none. */
    public int clocks(int ofAll) {
        return terms.containsKey(CLOCKS) ? Integer.parseInt(terms.get(CLOCKS)) : ofAll;
    }

    /** The terms of the cluster. */
    public ClusterSettings on(ClusterSettingsBuilder base) {
        terms.forEach((name, value) -> {
            switch (name) {
                case "protocol" -> base.protocol(protocol(value));
                case "filter" -> base.filter(value);
                case "broadcast-filter" -> base.broadcastFilter(value);
                case "values" -> base.values(value);
                case "consistency" -> base.consistency(value);
                case "rule" -> base.rule(value);
                case "order" -> base.order(value);
                case "tree" -> base.tree(value);
                case SLICE -> base.sliceElements(Integer.parseInt(value));
                default -> {} // a setting of the trainer, not a term of the cluster
            }
        });
        return base.build();
    }

    private static Protocol protocol(String name) {
        return Arrays.stream(Protocol.values())
                .filter(each -> each.configName().equals(name))
                .findFirst()
                .orElseThrow(() -> Parameter.refusal("protocol", name, "update, push-pull, managed or peer"));
    }

    /**
     * Whether all nodes hold back what is up to one threshold, exactly, so that Parameter Flow's lemmas bound what
     * replicas lack.
     */
    public boolean isValueBounded() {
        return terms.getOrDefault("filter", "").matches("dvf:[^;]+")
                && terms.getOrDefault("consistency", "bsp").matches("bsp|ssp:\\d+")
                && Stream.of("broadcast-filter", "values", "rule", "protocol", LOCAL)
                        .noneMatch(terms::containsKey);
    }

    /** The clocks by which a worker may be behind under BSP and SSP. */
    public int staleness() {
        String rule = terms.getOrDefault("consistency", "bsp");
        return rule.startsWith("ssp:") ? Integer.parseInt(rule.substring("ssp:".length())) : 0;
    }

    /** Whether a clock changes the same parameters in each run: not if they depend on times or rates. */
    public boolean repeats() {
        return terms.getOrDefault("consistency", "bsp").equals("bsp")
                && !terms.getOrDefault("protocol", "").equals(Protocol.MANAGED.configName())
                && Stream.of("filter", "broadcast-filter")
                        .filter(terms::containsKey)
                        .allMatch(filter ->
                                FilterPolicies.named(terms.get(filter)).repeats());
    }
}
