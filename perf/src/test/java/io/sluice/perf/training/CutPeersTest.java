package io.sluice.perf.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Protocol;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.cluster.HostTasks;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.lab.LabRoot;
import io.sluice.samples.data.Dataset;
import io.sluice.samples.data.Pieces;
import io.sluice.samples.data.PlantedCorpus;
import io.sluice.samples.descent.DescentSettings;
import io.sluice.samples.mlr.MlrFactorTrainer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A link that is cut while workers send vectors to one another delays them, and changes no bit. */
@Tag("slow")
@Timeout(240)
class CutPeersTest {
    private static final int WORKERS = 4;
    private static final int VICTIM = 2;
    private static final int CLOCKS = 300;
    private static final long CUT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final Dataset TEXTS = Pieces.of(new PlantedCorpus(12, 12, 20_000, 12).generate(1));
    private static final Star STAR = new Star(1, WORKERS, 50_000_000, 1_500);
    private static final ClusterSettings TERMS =
            STAR.terms().protocol(Protocol.PEER).filter("none").tree("flat").build();

    private final AtomicInteger completed = new AtomicInteger();

    @Test
    void aCutChangesNoBit() throws IOException, InterruptedException {
        LabRoot.assume();
        try (Cluster lab = Cluster.build(STAR)) {
            List<float[]> expected = train(lab, (_, _) -> {});
            completed.set(0);
            List<float[]> cut = train(lab, (tasks, _) -> cut(lab, tasks));
            for (int worker = 0; worker < WORKERS; worker++) {
                assertArrayEquals(expected.get(worker), cut.get(worker), "worker " + worker);
            }
        }
    }

    private List<float[]> train(Cluster lab, Cluster.CallerTask callerTask) throws IOException, InterruptedException {
        DescentSettings settings = new DescentSettings(CLOCKS, 16, 0.02, 1);
        return lab.runWithCallerTask(
                        TERMS,
                        "",
                        _ -> {},
                        _ -> {},
                        (worker, _) -> new MlrFactorTrainer(worker, TEXTS, settings, "all", "random:2;sync=5;rotate=3")
                                .train((clock, _) -> completed.accumulateAndGet(clock, Math::max)),
                        callerTask)
                .seen();
    }

    private void cut(Cluster lab, HostTasks tasks) throws InterruptedException {
        tasks.await("some clocks are complete", () -> completed.get() >= CLOCKS / 30);
        lab.lab().cut(STAR.servers() + VICTIM);
        int before = completed.get();
        long startNs = System.nanoTime();
        tasks.await("the cut has lasted", () -> System.nanoTime() - startNs > CUT_NS);
        // The others need the victim's round commits, so they complete the clock that was open, and no further one.
        assertTrue(completed.get() <= before + 2, before + " clocks at the cut, " + completed.get() + " at its end");
        assertTrue(completed.get() < CLOCKS, "the cut came too late");
        lab.lab().restore(STAR.servers() + VICTIM);
    }
}
