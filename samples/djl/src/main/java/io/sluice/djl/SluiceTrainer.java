package io.sluice.djl;

import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.dataset.Batch;
import ai.djl.training.loss.Loss;
import ai.djl.training.tracker.Tracker;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.util.ArrayList;
import java.util.List;

/**
 * Trains a model as one worker of a cluster, by stochastic gradient descent or by the update rule of the cluster.
 *
 * <pre>{@code
 * try (SluiceTrainer trainer = new SluiceTrainer(worker, model, Loss.softmaxCrossEntropyLoss(), Tracker.fixed(0.1f))) {
 *     trainer.initialize(new Shape(1, 1, 28, 28));      // all workers begin with the values of worker 0
 *     for (Batch batch : dataset.getData(model.getNDManager())) {
 *         trainer.trainBatch(batch);                    // waits for parameters layer by layer, pushes gradients
 *         trainer.step();                               // ends the worker's clock
 *         batch.close();
 *     }
 *     worker.drain();
 * }
 * }</pre>
 *
 * <p>Each worker takes a batch of its own in each iteration. The loss is a mean over the batch, so the step is that of
 * the mean over the batches of all workers. {@link SluiceParameterServer} states what is pushed.
 *
 * <p>A process can have one such trainer at a time, since PyTorch has one gradient collector. Call it on the thread
 * that owns the worker, and close the worker after the model.
 */
public final class SluiceTrainer implements AutoCloseable {
    private final Worker worker;
    private final Block block;
    private final Loss loss;
    private final Tracker rate;
    private final NDManager manager;
    private final DataType dataType;
    private final List<Segment> segments = new ArrayList<>();
    private boolean byLayer;

    /** The iteration of the last batch, counted from 0. */
    private long batchOf = -1;

    private SluiceParameterServer server;
    private ParameterStore store;

    /** Blocks whose gradients are computed together, and the tables that are then complete. */
    private record Segment(List<Block> blocks, List<ParameterTable> tables) {
        Segment() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        void add(SluiceParameterServer.Layer layer) {
            blocks.add(layer.block());
            tables.addAll(layer.tables());
        }
    }

    /**
     * Creates a trainer that computes all gradients in one pass.
     *
     * @param worker connected, not started
     * @param model  with a block, initialised or not, of the same structure on all workers
     * @param loss   a mean over the batch
     * @param rate   step of each iteration, counted from 1; without effect under rules with a rate of their own
     */
    public SluiceTrainer(Worker worker, Model model, Loss loss, Tracker rate) {
        this.worker = worker;
        this.block = model.getBlock();
        this.loss = loss;
        this.rate = rate;
        this.dataType = model.getDataType();
        this.manager = model.getNDManager().newSubManager();
    }

    /**
     * Computes gradients by layer, the last one first, and pushes those of a layer while the others are computed. The
     * gradients are the same to the bit. It takes about a tenth more time to compute them, so it pays off where links
     * are slow. A layer is a top-level block of a {@code SequentialBlock}, with those after it that have no parameters;
     * other blocks are one layer. Call it before {@link #initialize}.
     *
     * @param value false by default
     * @return this
     */
    public SluiceTrainer byLayer(boolean value) {
        if (server != null) {
            throw new IllegalStateException("byLayer() is called after initialize(), expected before");
        }
        byLayer = value;
        return this;
    }

    /**
     * Initialises the model, declares its tables, and starts the worker.
     *
     * @param inputs shapes of the inputs, batch included
     * @throws IllegalArgumentException if a parameter is not float32 or not in main memory, or none is trained
     */
    public void initialize(Shape... inputs) {
        if (server != null) {
            throw new IllegalStateException("initialize() is called twice, expected once");
        }
        block.initialize(manager.getParentManager(), dataType, inputs);
        server = new SluiceParameterServer(worker, block, rate);
        Segment segment = new Segment();
        for (SluiceParameterServer.Layer layer : server.layers()) {
            if (byLayer && !segment.tables().isEmpty() && !layer.tables().isEmpty()) {
                segments.add(segment);
                segment = new Segment();
            }
            segment.add(layer);
        }
        segments.add(segment);
        server.start();
        store = new GatedParameterStore(manager, server);
    }

    /** The tables of the model, in forward order. */
    public List<Table> tables() {
        requireInitialised();
        return server.tables();
    }

    /**
     * Computes the gradients of a batch and pushes them. Once between two calls of {@link #step}.
     *
     * @return the loss
     */
    public float trainBatch(Batch batch) {
        return trainBatch(batch.getData(), batch.getLabels());
    }

    /**
     * Computes the gradients of a batch and pushes them. Once between two calls of {@link #step}.
     *
     * @param data   inputs of the model
     * @param labels labels for the loss
     * @return the loss
     * @throws IllegalStateException if the trainer is not initialised, or has trained a batch in this iteration
     * @throws io.sluice.consistency.terms.ClusterException with NOT_FINITE if a gradient is NaN or infinite; tables of
     *     other layers may have been pushed then, so the trainer cannot continue
     */
    public float trainBatch(NDList data, NDList labels) {
        requireInitialised();
        if (batchOf == worker.completed()) {
            throw new IllegalStateException("a second batch is trained in iteration " + (batchOf + 1)
                    + ", expected step() between two batches");
        }
        batchOf = worker.completed();
        try (NDManager scope = manager.newSubManager();
                GradientCollector collector = manager.getEngine().newGradientCollector()) {
            data.tempAttach(scope);
            labels.tempAttach(scope);
            NDArray value = segments.size() == 1 ? whole(collector, data, labels) : layers(collector, data, labels);
            return value.toFloatArray()[0];
        }
    }

    private void requireInitialised() {
        if (server == null) {
            throw new IllegalStateException("the trainer is not initialised, expected initialize() first");
        }
    }

    private NDArray whole(GradientCollector collector, NDList data, NDList labels) {
        NDArray value = loss.evaluate(labels, block.forward(store, data, labels, null));
        collector.backward(value);
        server.push(segments.getFirst().tables());
        return value;
    }

    private NDArray layers(GradientCollector collector, NDList data, NDList labels) {
        List<NDList> inputs = new ArrayList<>();
        List<NDList> outputs = new ArrayList<>();
        NDList current = data;
        for (Segment segment : segments) {
            inputs.add(current);
            for (Block part : segment.blocks()) {
                current = part.forward(store, current, labels, null);
            }
            outputs.add(current);
            current = cut(current);
        }
        NDArray value = loss.evaluate(labels, outputs.getLast());
        collector.backward(value);
        server.push(segments.getLast().tables());
        for (int i = segments.size() - 2; i >= 0; i--) {
            worker.work();
            collector.backward(pulledBack(outputs.get(i), inputs.get(i + 1)));
            server.push(segments.get(i).tables());
        }
        return value;
    }

    /** The same values as inputs of a graph of their own. */
    private static NDList cut(NDList outputs) {
        NDList inputs = new NDList(outputs.size());
        for (NDArray output : outputs) {
            NDArray input = output.stopGradient();
            input.setRequiresGradient(true);
            inputs.add(input);
        }
        return inputs;
    }

    /** A scalar whose gradients are those of the loss: the products of the outputs with the gradients of the inputs. */
    private static NDArray pulledBack(NDList outputs, NDList inputs) {
        NDArray sum = null;
        for (int i = 0; i < outputs.size(); i++) {
            NDArray part = outputs.get(i).mul(inputs.get(i).getGradient()).sum();
            sum = sum == null ? part : sum.add(part);
        }
        return sum;
    }

    /**
     * Ends the iteration: the worker's clock.
     *
     * @return iterations completed
     */
    public long step() {
        return worker.clock();
    }

    /** Releases what the trainer has allocated. The model and the worker stay open. */
    @Override
    public void close() {
        manager.close();
    }
}
