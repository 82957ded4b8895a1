package io.sluice.perf.experiment;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** The measurements of one turn for one row: facts, which distinguish rows, and figures, which are aggregated. */
public final class Sample {
    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final Map<String, double[]> figures = new LinkedHashMap<>();
    private final Map<String, Histogram> latencies = new LinkedHashMap<>();

    /**
     * Adds a fact.
     *
     * @param value a text, number, boolean, list or {@code null}
     */
    public Sample fact(String name, Object value) {
        facts.put(name, value);
        return this;
    }

    /** Adds all latencies of a turn, in nanoseconds. */
    public Sample latencies(String name, Histogram histogram) {
        latencies.put(name, histogram);
        return this;
    }

    /**
     * Adds a figure.
     *
     * @param values one or several, such as the time of each clock
     */
    public Sample figure(String name, double... values) {
        figures.put(name, values);
        return this;
    }

    /** Adds a figure of some objects. */
    public <T> Sample figure(String name, Collection<T> all, ToDoubleFunction<T> value) {
        return figure(name, all.stream().mapToDouble(value).toArray());
    }

    /** Adds the whole numbers from one to another as a figure, such as those of the clocks. */
    public Sample steps(String name, int first, int last) {
        return figure(name, IntStream.rangeClosed(first, last).asDoubleStream().toArray());
    }

    Map<String, Object> facts() {
        return facts;
    }

    Map<String, Histogram> latencies() {
        return latencies;
    }

    Map<String, double[]> figures() {
        return figures;
    }
}
