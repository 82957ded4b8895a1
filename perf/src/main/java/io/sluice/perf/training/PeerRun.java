package io.sluice.perf.training;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.standard.Multicast;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.BatchOrder;
import io.sluice.samples.descent.DescentReference;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.descent.SharedBatches;
import io.sluice.samples.mlr.MlrFactorTrainer;
import io.sluice.samples.mlr.MlrModel;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * One training of softmax regression whose workers, threads of this process, send each other their vectors: what each
 * replica was before each clock, and what follows from it.
 */
final class PeerRun {
    /** All nodes share the cores of a machine that may be busy. */
    private static final int LIVENESS_MS = 60_000;

    private final Dataset data;
    private final DescentSettings settings;
    private final int workers;
    private final Multicast multicast;

    private final Replicas replicas;
    private final AtomicLong bytesPeer = new AtomicLong();
    private final AtomicLong bytesPushed = new AtomicLong();
    private long bytesBroadcast;

    private PeerRun(Dataset data, DescentSettings settings, int workers, String multicast) {
        this.data = data;
        this.settings = settings;
        this.workers = workers;
        this.multicast = Multicast.named(multicast).among(workers);
        this.replicas = new Replicas(workers, settings.clocks());
    }

    /** Trains to the end. */
    static PeerRun of(
            Dataset data, DescentSettings settings, int workers, int slice, String selection, String multicast)
            throws InterruptedException {
        PeerRun run = new PeerRun(data, settings, workers, multicast);
        ClusterSettings terms = ClusterSettings.builder()
                .workers(workers)
                .protocol(Protocol.PEER)
                .livenessMs(LIVENESS_MS)
                .sliceElements(slice)
                .build();
        List<ServerReport> reports = LocalCluster.run(terms, worker -> {
            MlrFactorTrainer trainer = new MlrFactorTrainer(worker, data, settings, selection, multicast);
            trainer.train((clock, _) -> run.replicas.keep(
                    worker.index(), clock - 1, trainer.weights().view()));
            run.replicas.keep(
                    worker.index(), settings.clocks(), trainer.weights().view());
            run.bytesPeer.addAndGet(worker.bytesToPeers());
            run.bytesPushed.addAndGet(worker.bytesPushed());
        });
        run.bytesBroadcast =
                reports.stream().mapToLong(ServerReport::bytesBroadcast).sum();
        return run;
    }

    long bytesPeer() {
        return bytesPeer.get();
    }

    /** Bytes from and to servers, which average replicas. */
    long bytesOfServers() {
        return bytesPushed.get() + bytesBroadcast;
    }

    /** For each clock, from 0, the mean over the replicas of the loss of each n-th training example. */
    double[] objective(int nth) {
        return replicas.objective(data, nth);
    }

    /** For each clock, from 0, the largest distance of a replica from the mean of all. */
    double[] distance() {
        return replicas.distance();
    }

    /**
     * For each clock, from 0, the bound on the distance: step L sqrt(R (P - 1) (1 - q) / q), with L the norm of the
     * largest gradient of a worker's batch, R the clocks between two averagings, q the share of the others that get a
     * worker's vectors, and the largest step of the last R clocks.
     */
    double[] bound(int receivers) {
        double largest = largestGradient();
        double q = (double) receivers / (workers - 1);
        double factor = largest * Math.sqrt(multicast.sync() * (workers - 1) * (1 - q) / q);
        return IntStream.rangeClosed(0, settings.clocks())
                .mapToDouble(clock -> factor * settings.step(Math.max(1, clock - multicast.sync() + 1), workers))
                .toArray();
    }

    private double largestGradient() {
        MlrModel model = new MlrModel(data, settings.batch());
        List<BatchOrder> orders = DescentReference.orders(
                DescentReference.fixed(workers),
                worker -> new SharedBatches(data.train().size(), worker, settings));
        double largest = 0;
        for (int clock = 1; clock <= settings.clocks(); clock++) {
            for (int worker = 0; worker < workers; worker++) {
                float[] gradient = new float[model.size()];
                model.step(orders.get(worker).rows(clock, 0), 1, replicas.of(worker, clock - 1), gradient);
                double square = 0;
                for (float each : gradient) {
                    square += (double) each * each;
                }
                largest = Math.max(largest, Math.sqrt(square));
            }
        }
        return largest;
    }
}
