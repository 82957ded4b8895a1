package io.sluice.perf.managed;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.util.concurrent.TimeUnit;

/**
 * What all runs of a comparison have in common.
 *
 * @param workers      number of workers
 * @param servers      number of servers
 * @param clocks       of each run
 * @param batches      mini-batches of a worker in a clock
 * @param batch        examples of a mini-batch
 * @param computeNs    time that a mini-batch takes
 * @param learningRate step over the mean gradient of a mini-batch of all workers
 * @param features     parameters of the model
 * @param slice        floats of a slice at most
 * @param burst        bytes that a link may send at once
 * @param consistency  name of the rule
 * @param seed         of the examples
 */
record ManagedPlan(
        int workers,
        int servers,
        int clocks,
        int batches,
        int batch,
        long computeNs,
        double learningRate,
        int features,
        int slice,
        int burst,
        String consistency,
        long seed) {
    /** Examples for each that a worker takes in a clock: about as many clocks as one pass takes. */
    private static final int CLOCKS_OF_A_PASS = 4;

    private static final int MOST_NODES = 16;
    private static final int MOST = 1_000_000;

    /** All nodes are threads of this process, and share two cores perhaps. */
    private static final int LIVENESS_MS = 20_000;

    /** Refuses what is out of range, naming the option. */
    ManagedPlan {
        require(workers >= 1 && workers <= MOST_NODES, "--workers", workers, "1 to " + MOST_NODES);
        require(servers >= 1 && servers <= MOST_NODES, "--servers", servers, "1 to " + MOST_NODES);
        require(clocks >= 2 && clocks <= MOST, "--clocks", clocks, "2 to " + MOST);
        require(batches >= 1 && batches <= MOST, "--batches", batches, "1 to " + MOST);
        require(batch >= 1 && batch <= MOST, "--batch", batch, "1 to " + MOST);
        require(features >= 2 && features <= 1 << 24, "--features", features, "2 to " + (1 << 24));
        require(
                Double.isFinite(learningRate) && learningRate > 0,
                "--learning-rate",
                learningRate,
                "a positive number");
        require(computeNs >= 0 && computeNs <= TimeUnit.MINUTES.toNanos(1), "--compute", computeNs + " ns", "0 to 60s");
    }

    private static void require(boolean sound, String option, Object value, String expected) {
        if (!sound) {
            throw new IllegalArgumentException(option + " is " + value + ", expected " + expected);
        }
    }

    SparseTask task() {
        return new SparseTask(features, workers * batches * batch * CLOCKS_OF_A_PASS, seed);
    }

    /** Terms of a run: exact f32 updates, so that methods differ in nothing but when slices go. */
    ClusterSettings terms(CommunicationMethod method, long rate) {
        return ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .protocol(method.protocol())
                .order(method.order())
                .consistency(consistency)
                .filter("none")
                .values("f32")
                .compressor("none")
                .transport(TransportKind.UDP)
                .sliceElements(slice)
                .linkBudget(rate + "bit", burst)
                .tree("flat")
                .livenessMs(LIVENESS_MS)
                .build();
    }
}
