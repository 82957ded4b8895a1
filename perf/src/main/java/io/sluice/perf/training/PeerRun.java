package io.sluice.perf.training;

import io.sluice.consistency.local.LocalCluster;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.mlr.MlrFactorTrainer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One training of softmax regression whose workers, threads of this process, send each other their vectors.
 *
 * @param bytesOfServers bytes from and to servers, which average replicas
 */
record PeerRun(Replicas replicas, long bytesPeer, long bytesOfServers) {
    /** All nodes share the cores of a machine that may be busy. */
    private static final int LIVENESS_MS = 60_000;

    /** Trains to the end. */
    static PeerRun of(
            Dataset data, DescentSettings settings, int workers, int slice, String selection, String multicast)
            throws InterruptedException {
        Replicas replicas = new Replicas(workers, settings.clocks());
        AtomicLong bytesPeer = new AtomicLong();
        AtomicLong bytesPushed = new AtomicLong();
        ClusterSettings terms = ClusterSettings.builder()
                .workers(workers)
                .protocol(Protocol.PEER)
                .livenessMs(LIVENESS_MS)
                .sliceElements(slice)
                .build();
        List<ServerReport> reports = LocalCluster.run(terms, worker -> {
            MlrFactorTrainer trainer = new MlrFactorTrainer(worker, data, settings, selection, multicast);
            trainer.train((clock, _) ->
                    replicas.keep(worker.index(), clock - 1, trainer.weights().view()));
            replicas.keep(worker.index(), settings.clocks(), trainer.weights().view());
            bytesPeer.addAndGet(worker.bytesToPeers());
            bytesPushed.addAndGet(worker.bytesPushed());
        });
        long broadcast =
                reports.stream().mapToLong(ServerReport::bytesBroadcast).sum();
        return new PeerRun(replicas, bytesPeer.get(), bytesPushed.get() + broadcast);
    }
}
