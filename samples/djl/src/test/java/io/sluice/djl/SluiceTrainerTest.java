package io.sluice.djl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Block;
import ai.djl.nn.Blocks;
import ai.djl.nn.LambdaBlock;
import ai.djl.nn.ParallelBlock;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.BatchNorm;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.Trainer;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One worker under BSP without a filter gives the bits of training without Sluice. */
@Timeout(200)
class SluiceTrainerTest {
    private static final int STEPS = 50;

    /**
     * Channels of a convolution, as many as an AVX-512 vector has floats. If they fill no vector, PyTorch 2.7.1 now and
     * then gives NaN as the gradient of a convolution's input.
     */
    private static final int CHANNELS = 16;

    private static final int BATCH = 8;
    private static final Shape INPUT = new Shape(BATCH, 1, 12, 12);
    private static final Tracker RATE = Tracker.fixed(0.05f);
    private static final Loss LOSS = Loss.softmaxCrossEntropyLoss();

    /** What a training loop does with a batch, of whose data the number is the seed. */
    private interface Step {
        float train(NDList data, NDList labels);
    }

    private static ClusterSettingsBuilder terms() {
        return ClusterSettings.builder().servers(1).workers(1).filter("none");
    }

    private static Model model(int seed) {
        Engine.getInstance().setRandomSeed(seed);
        Model model = Model.newInstance("test");
        model.setBlock(new SequentialBlock()
                .add(Conv2d.builder()
                        .setFilters(CHANNELS)
                        .setKernelShape(new Shape(3, 3))
                        .build())
                .add(BatchNorm.builder().build())
                .add(Activation::relu)
                .add(new ParallelBlock(list ->
                                new NDList(list.get(0).head(), list.get(1).head()))
                        .add(new LambdaBlock(inputs -> inputs))
                        .add(Conv2d.builder()
                                .setFilters(CHANNELS)
                                .setKernelShape(new Shape(5, 5))
                                .build()))
                .add(inputs -> new NDList(
                        inputs.get(0).flatten(1, 3).concat(inputs.get(1).flatten(1, 3), 1)))
                .add(Linear.builder().setUnits(20).build())
                .add(Activation::relu)
                .add(Blocks.identityBlock())
                .add(Linear.builder().setUnits(4).build()));
        return model;
    }

    private static List<Float> train(Model model, Step step) {
        List<Float> losses = new ArrayList<>();
        for (int i = 1; i <= STEPS; i++) {
            Random random = new Random(i);
            float[] pixels = new float[(int) INPUT.size()];
            float[] labels = new float[BATCH];
            for (int at = 0; at < pixels.length; at++) {
                pixels[at] = random.nextFloat();
            }
            for (int row = 0; row < BATCH; row++) {
                labels[row] = random.nextInt(4);
                pixels[row * pixels.length / BATCH + (int) labels[row]] += 3;
            }
            try (NDManager scope = model.getNDManager().newSubManager()) {
                losses.add(step.train(new NDList(scope.create(pixels, INPUT)), new NDList(scope.create(labels))));
            }
        }
        return losses;
    }

    private static float[] parameters(Block block) {
        return SluiceParameterServer.inTables(
                block, parameter -> parameter.getArray().toFloatArray());
    }

    /** Weights after training with the library's own trainer and optimiser. */
    private static float[] plain() {
        DefaultTrainingConfig config = new DefaultTrainingConfig(LOSS)
                .optOptimizer(Optimizer.sgd().setLearningRateTracker(RATE).build());
        try (Model model = model(1);
                Trainer trainer = model.newTrainer(config)) {
            trainer.initialize(INPUT);
            train(model, (data, labels) -> {
                float value;
                try (GradientCollector collector = trainer.newGradientCollector()) {
                    NDArray loss = LOSS.evaluate(labels, trainer.forward(data, labels));
                    collector.backward(loss);
                    value = loss.toFloatArray()[0];
                }
                trainer.step();
                return value;
            });
            return parameters(model.getBlock());
        }
    }

    private interface Training {
        List<Float> on(Worker worker, Model model);
    }

    private static List<Float> whole(Worker worker, Model model) {
        return train(worker, model, false);
    }

    private static List<Float> byLayer(Worker worker, Model model) {
        return train(worker, model, true);
    }

    private static List<Float> train(Worker worker, Model model, boolean byLayer) {
        try (SluiceTrainer trainer = new SluiceTrainer(worker, model, LOSS, RATE)) {
            trainer.byLayer(byLayer).initialize(INPUT);
            return train(model, (data, labels) -> {
                float loss = trainer.trainBatch(data, labels);
                trainer.step();
                return loss;
            });
        }
    }

    /** A loop that a user writes. */
    private static List<Float> ownLoop(Worker worker, Model model) {
        NDManager manager = model.getNDManager();
        Block block = model.getBlock();
        block.initialize(manager, DataType.FLOAT32, INPUT);
        SluiceParameterServer server = new SluiceParameterServer(worker, block, RATE);
        server.start();
        ParameterStore store = new GatedParameterStore(manager, server);
        return train(model, (data, labels) -> {
            float value;
            try (GradientCollector collector = manager.getEngine().newGradientCollector()) {
                NDArray loss = LOSS.evaluate(labels, block.forward(store, data, labels, null));
                collector.backward(loss);
                value = loss.toFloatArray()[0];
            }
            store.updateAllParameters();
            worker.clock();
            return value;
        });
    }

    /** Weights after training as the only worker of a cluster; the parameters are the replica, to the bit. */
    private static float[] sluice(ClusterSettings terms, Training training) throws InterruptedException {
        AtomicReference<float[]> weights = new AtomicReference<>();
        LocalCluster.run(terms, worker -> {
            try (Model model = model(1)) {
                List<Float> losses = training.on(worker, model);
                assertTrue(losses.getLast() < losses.getFirst(), losses::toString);
                worker.drain();
                weights.set(parameters(model.getBlock()));
            }
        });
        return weights.get();
    }

    @Test
    void meetsTheTrainerOfTheLibraryBitForBit() throws InterruptedException {
        float[] expected = plain();
        assertArrayEquals(expected, sluice(terms().build(), SluiceTrainerTest::whole));
        assertArrayEquals(expected, sluice(terms().build(), SluiceTrainerTest::byLayer), "gradients by layer");
        assertArrayEquals(expected, sluice(terms().build(), SluiceTrainerTest::ownLoop), "a loop of one's own");
    }

    @Test
    void refusesParametersOfOtherTypes() throws InterruptedException {
        LocalCluster.run(terms().build(), worker -> {
            try (Model model = Model.newInstance("double")) {
                model.setDataType(DataType.FLOAT64);
                model.setBlock(
                        new SequentialBlock().add(Linear.builder().setUnits(3).build()));
                try (SluiceTrainer trainer = new SluiceTrainer(worker, model, LOSS, RATE)) {
                    IllegalArgumentException refusal =
                            assertThrows(IllegalArgumentException.class, () -> trainer.initialize(new Shape(2, 30)));
                    assertEquals(
                            "parameter 01Linear_weight is float64 on cpu(), expected float32 on cpu()",
                            refusal.getMessage());
                }
            }
            worker.leave();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"ssp:1", "tap"})
    void waitsForAllLayersUnderOtherRules(String consistency) throws InterruptedException {
        sluice(terms().consistency(consistency).build(), SluiceTrainerTest::byLayer);
    }

    /** With Adam the change does not depend on the scale of the gradient, so the step of the trainer has no effect. */
    @Test
    void leavesTheStepToARuleWithARateOfItsOwn() throws InterruptedException {
        float[] weights = sluice(terms().rule("adam:0.005").build(), SluiceTrainerTest::whole);
        assertNotEquals(plain()[0], weights[0]);
    }

    @Test
    void joinsSmallParametersByBlockAndNamesTablesByStructure() throws InterruptedException {
        LocalCluster.run(terms().build(), worker -> {
            try (Model model = Model.newInstance("three")) {
                model.setBlock(new SequentialBlock()
                        .add(Linear.builder().setUnits(40).build())
                        .add(BatchNorm.builder().build())
                        .add(Linear.builder().setUnits(3).build()));
                try (SluiceTrainer trainer = new SluiceTrainer(worker, model, LOSS, RATE)) {
                    trainer.initialize(new Shape(2, 30));
                    List<String> tables = trainer.tables().stream()
                            .map(Table::spec)
                            .map(spec -> spec.name() + " " + spec.rows() + "x" + spec.columns())
                            .toList();
                    // Joined parameters begin at multiples of 16: 48 + 40 and 128 + 3.
                    assertEquals(
                            List.of("01Linear_weight 40x30", "01Linear 1x40", "02BatchNorm 1x88", "03Linear 1x131"),
                            tables);
                }
            }
            worker.drain();
        });
    }
}
