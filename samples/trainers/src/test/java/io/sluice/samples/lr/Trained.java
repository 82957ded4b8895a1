package io.sluice.samples.lr;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.worker.FloatView;
import io.sluice.consistency.worker.Worker;
import io.sluice.samples.ReplicaHash;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentSettings;
import java.util.Arrays;
import java.util.List;

/**
 * What a worker has trained.
 *
 * @param parameters a copy of its replica
 * @param hash hash of the replica itself
 */
record Trained(
        float[] parameters,
        String hash,
        long bytesPushed,
        long maxStaleness,
        float residualMaxAbs,
        float lastThreshold,
        long framesRejected) {
    /**
     * The results of a job.
     *
     * @param workers workers by index
     * @param servers servers by index
     */
    record Outcome(List<Trained> workers, List<ServerReport> servers) {}

    /** Trains with a whole cluster in this JVM, with a long liveness time in case the machine is busy. */
    static Outcome by(ClusterSettingsBuilder terms, Dataset data, DescentSettings lr) {
        ClusterSettings settings = terms.livenessMs(10_000).build();
        Trained[] workers = new Trained[settings.workers()];
        try {
            List<ServerReport> servers =
                    LocalCluster.run(settings, worker -> workers[worker.index()] = train(worker, data, lr));
            return new Outcome(Arrays.asList(workers), servers);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private static Trained train(Worker worker, Dataset data, DescentSettings lr) {
        LrTrainer trainer = new LrTrainer(worker, data, lr);
        FloatView view = trainer.train((clock, loss) -> {});
        float[] parameters = new float[data.features()];
        view.copyTo(0, parameters);
        return new Trained(
                parameters,
                ReplicaHash.of(List.of(view)),
                worker.bytesPushed(),
                worker.stats().maxStaleness(),
                trainer.weights().residualMaxAbs(),
                worker.stats().lastThreshold(),
                worker.framesRejected());
    }
}
