package io.sluice.perf.experiment;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Values of a scenario's parameters: the given ones, and the defaults of the others. */
public final class Settings {
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final Map<String, Object> values = new HashMap<>();
    private final Map<String, String> given;

    /**
     * Reads the values.
     *
     * @param given texts by name of the parameter
     * @throws IllegalArgumentException if there is no such parameter, or a value is refused
     */
    public Settings(Scenario scenario, Map<String, String> given) {
        this.given = Map.copyOf(given);
        for (Parameter<?> parameter : scenario.allParameters()) {
            String text = given.getOrDefault(parameter.name(), parameter.value());
            values.put(parameter.name(), parameter.read(text));
            if (text != null) {
                texts.put(parameter.name(), text);
            }
        }
        for (String name : given.keySet()) {
            if (!values.containsKey(name)) {
                throw new IllegalArgumentException("scenario " + scenario.name() + " has no parameter '" + name
                        + "', expected one of " + String.join(", ", values.keySet()));
            }
        }
    }

    /** The value of a parameter; {@code null} if it has no default and is not given. */
    @SuppressWarnings("unchecked") // the only parameter of this name has put a value of this type there
    public <T> T get(Parameter<T> parameter) {
        return (T) values.get(parameter.name());
    }

    /** Whether a value was given. */
    public boolean isGiven(Parameter<?> parameter) {
        return given.containsKey(parameter.name());
    }

    /** Adds the values to the facts of a sample that it does not have, by names with underscores. */
    Sample addTo(Sample sample) {
        values.forEach((name, value) -> {
            String fact = name.replace('-', '_');
            if (!(value instanceof List) && !sample.facts().containsKey(fact)) {
                sample.fact(fact, value);
            }
        });
        return sample;
    }

    /** All values in a line for people, because each figure needs its rates, packets and rounds. */
    String sentence() {
        return texts.entrySet().stream()
                .filter(entry -> !entry.getValue().equals("false"))
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining("; "));
    }

    public Map<String, String> texts() {
        return texts;
    }
}
