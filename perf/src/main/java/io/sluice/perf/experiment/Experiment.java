package io.sluice.perf.experiment;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.agrona.CloseHelper;

/** Measures variants, which take turns. Used by one thread: opened once, then turns, then closed. */
public abstract class Experiment<V> implements AutoCloseable {
    /** Nanoseconds of a second. */
    protected static final double NS = 1e9;

    /** Milliseconds of a second. */
    protected static final double MS = 1e3;

    protected static final double MEGA = 1e6;
    protected static final double PERCENT = 100;

    /** The values of the parameters. */
    protected final Settings settings;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Creates an experiment with some values of the parameters. */
    protected Experiment(Settings settings) {
        this.settings = settings;
    }

    /** The value of a parameter; {@code null} if it has no default and is not given. */
    protected final <T> T get(Parameter<T> parameter) {
        return settings.get(parameter);
    }

    /** The values of a parameter; none if it has no default and is not given. */
    protected final <T> List<T> all(Parameter<List<T>> parameter) {
        return settings.get(parameter) == null ? List.of() : settings.get(parameter);
    }

    /** Registers a resource, which is closed after those that are registered later. */
    protected final <C extends AutoCloseable> C closing(C resource) {
        opened.push(resource);
        return resource;
    }

    /** The variants, in the order of the first round. */
    public abstract List<V> variants();

    /**
     * A further group of variants, measured after the previous group: if not all variants fit into memory, or if
     * results decide what is measured next. Ratios are between variants of one group. By default there is none.
     *
     * @param rows rows so far
     */
    public List<V> next(List<Row> rows) {
        return List.of();
    }

    /** Number of warm-up turns of each variant, which are not measured; 0 by default. */
    public int warmUps() {
        return 0;
    }

    /** Lines that describe the coming measurement; may be empty. */
    public String introduction() {
        return "";
    }

    /** Opens resources that all turns share, such as a lab. */
    public void open() throws IOException, InterruptedException {}

    /**
     * Measures a variant once.
     *
     * @return the samples; samples with equal facts form one row; parameters with one value are facts of all
     */
    public abstract List<Sample> measure(V variant) throws IOException, InterruptedException;

    /** Sentences at the end of the table and of the JSON. */
    public List<String> conclusions(List<Row> rows) {
        return List.of();
    }

    /** Closes all opened resources, even after a partial open. */
    @Override
    public void close() {
        CloseHelper.closeAll(opened);
    }
}
