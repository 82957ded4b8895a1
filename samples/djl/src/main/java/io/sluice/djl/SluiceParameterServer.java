package io.sluice.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.training.ParameterServer;
import ai.djl.training.tracker.Tracker;
import ai.djl.util.Pair;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The parameters of a block as tables of a worker, for training loops of your own. After {@link #start} the arrays of
 * the parameters are the memory of the worker's replica, which each sync changes, so nothing else may write to them.
 *
 * <pre>{@code
 * block.initialize(manager, DataType.FLOAT32, inputShape);
 * SluiceParameterServer server = new SluiceParameterServer(worker, block, Tracker.fixed(0.1f));
 * server.start();
 * ParameterStore store = new GatedParameterStore(manager, server);
 * // in each iteration:
 * try (GradientCollector collector = Engine.getInstance().newGradientCollector()) {
 *     NDList predictions = block.forward(store, data, labels, null);
 *     collector.backward(loss.evaluate(labels, predictions));
 * }
 * store.updateAllParameters();
 * worker.clock();
 * }</pre>
 *
 * <p>A parameter of {@value ParameterGroup#LARGE} elements or more has a table of its own. The smaller ones of a
 * top-level block share one. Parameters that are not trained, such as running means, have none: each worker keeps its
 * own. A table's rule decides what is pushed: minus the gradient times the step, over the number of workers, with
 * {@code sum}; minus the gradient times the step with {@code mean}; and with every other rule, which has a rate of its
 * own, minus the gradient over the number of workers.
 *
 * <p>For the thread that owns the worker, and for parameters of type float32 on the processor.
 */
public final class SluiceParameterServer implements ParameterServer {
    private final Worker worker;
    private final Tracker rate;
    private final List<Layer> layers = new ArrayList<>();
    private final List<ParameterTable> tables = new ArrayList<>();
    private final Map<Parameter, ParameterTable> byParameter = new HashMap<>();
    private final Map<String, Parameter> byId = new HashMap<>();
    private final boolean byTable;

    /** A top-level block and its tables. */
    record Layer(Block block, List<ParameterTable> tables) {}

    /**
     * Declares the tables.
     *
     * @param worker connected, not started
     * @param block  initialised, with the same structure on all workers
     * @param rate   step of each iteration, counted from 1
     * @throws IllegalArgumentException if a parameter is not float32 or not in main memory, or none is trained
     */
    public SluiceParameterServer(Worker worker, Block block, Tracker rate) {
        this.worker = worker;
        this.rate = rate;
        // Otherwise versions, or parts of them, may arrive before this worker's push, and change what a layer has read.
        this.byTable = "bsp".equals(worker.settings().consistency())
                && Protocol.MANAGED != worker.settings().protocol();
        Set<Parameter> taken = new HashSet<>();
        for (Pair<String, Block> part : ParameterGroup.topLevel(block)) {
            List<ParameterTable> own = ParameterGroup.of(part.getKey(), part.getValue(), taken).stream()
                    .map(this::declare)
                    .toList();
            layers.add(new Layer(part.getValue(), own));
            tables.addAll(own);
        }
        if (tables.isEmpty()) {
            throw new IllegalArgumentException("the block has no parameter with a gradient, expected at least one");
        }
    }

    private ParameterTable declare(ParameterGroup group) {
        ParameterTable table = new ParameterTable(worker, group);
        for (ParameterGroup.Member member : group.members()) {
            byParameter.put(member.parameter(), table);
            byId.put(member.parameter().getId(), member.parameter());
        }
        return table;
    }

    /** Starts the worker. All workers begin with the values of worker 0, or of the snapshot if the job continues. */
    public void start() {
        Map<String, float[]> values = new HashMap<>();
        worker.start((table, start, run) -> {
            float[] from = values.computeIfAbsent(table, this::values);
            if (from != null) {
                System.arraycopy(from, (int) start, run, 0, run.length);
            }
        });
        tables.forEach(ParameterTable::attach);
    }

    /** The values of the parameters of a table; null for a table that the caller has declared besides. */
    private float[] values(String table) {
        return tables.stream()
                .filter(candidate -> candidate.group().name().equals(table))
                .findFirst()
                .map(found ->
                        found.group().inOrder(parameter -> parameter.getArray().toFloatArray()))
                .orElse(null);
    }

    /**
     * Puts values of all parameters of a block into the order of its tables, one table after the other, to compare
     * them with the tables of a worker.
     *
     * @param block initialised
     * @param of    the values of a parameter
     * @return the values; 0 between the parameters of a table
     */
    public static float[] inTables(Block block, Function<Parameter, float[]> of) {
        Set<Parameter> taken = new HashSet<>();
        List<float[]> parts = new ArrayList<>();
        int size = 0;
        for (Pair<String, Block> part : ParameterGroup.topLevel(block)) {
            for (ParameterGroup group : ParameterGroup.of(part.getKey(), part.getValue(), taken)) {
                parts.add(group.inOrder(of));
                size += group.size();
            }
        }
        FloatBuffer all = FloatBuffer.allocate(size);
        parts.forEach(all::put);
        return all.array();
    }

    /** The tables, in forward order. */
    public List<Table> tables() {
        return tables.stream().map(ParameterTable::table).toList();
    }

    /** The top-level blocks, in forward order. */
    List<Layer> layers() {
        return layers;
    }

    /** Waits until a parameter is as fresh as the consistency rule demands; other layers may still be on their way. */
    void gate(Parameter parameter) {
        ParameterTable table = byParameter.get(parameter);
        if (table == null) {
            return;
        }
        long clock = worker.completed();
        if (byTable) {
            table.gate(clock);
        } else {
            tables.forEach(each -> each.gate(clock));
        }
    }

    /** Pushes tables after the gradients of all their parameters have been computed; the first is needed first. */
    void push(List<ParameterTable> ready) {
        for (ParameterTable table : ready) {
            for (ParameterGroup.Member member : table.group().members()) {
                try (NDArray gradient = member.parameter().getArray().getGradient()) {
                    update(member.parameter(), gradient);
                }
            }
        }
    }

    private void update(Parameter parameter, NDArray gradient) {
        ParameterTable table = byParameter.get(parameter);
        table.update(parameter, gradient, factor(table.group().name()), worker.completed());
    }

    /** The factor of a gradient in this iteration. */
    private float factor(String table) {
        int workers = worker.workerSet().size();
        double step = rate.getNewValue(Math.toIntExact(worker.completed() + 1));
        return (float)
                switch (worker.settings().table(table).rule()) {
                    case "sum" -> -step / workers;
                    case "mean", "mean;weighted" -> -step;
                    default -> -1.0 / workers;
                };
    }

    /** Does nothing: {@link #start} has given the parameters their values. */
    @Override
    public void init(String parameterId, NDArray[] value) {}

    /**
     * Pushes a parameter's gradient, and resets it; a table that several parameters share is pushed with the last one
     * of them.
     *
     * @throws IllegalArgumentException if the block does not have the parameter, or there are several devices
     */
    @Override
    public void update(String parameterId, NDArray[] grads, NDArray[] params) {
        Parameter parameter = byId.get(parameterId);
        if (parameter == null || grads.length != 1) {
            throw new IllegalArgumentException("parameter " + parameterId + " with " + grads.length
                    + " gradients is updated, expected a parameter of the block, with one");
        }
        update(parameter, grads[0]);
    }

    /** Does nothing: the caller closes the worker. */
    @Override
    public void close() {}
}
