package io.sluice.perf.experiment;

import java.util.LinkedHashMap;
import java.util.Map;

/** What one turn has shown of one row: facts, which tell rows apart, and figures, which are aggregated. */
public final class Sample {
    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final Map<String, double[]> figures = new LinkedHashMap<>();

    /**
     * Adds a fact.
     *
     * @param name  of the column
     * @param value a text, number, boolean, list or {@code null}
     * @return this
     */
    public Sample fact(String name, Object value) {
        facts.put(name, value);
        return this;
    }

    /**
     * Adds a figure.
     *
     * @param name   that columns refer to
     * @param values one or several, such as the time of each clock
     * @return this
     */
    public Sample figure(String name, double... values) {
        figures.put(name, values);
        return this;
    }

    Map<String, Object> facts() {
        return facts;
    }

    Map<String, double[]> figures() {
        return figures;
    }
}
