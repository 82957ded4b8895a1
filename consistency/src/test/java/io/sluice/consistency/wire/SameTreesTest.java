package io.sluice.consistency.wire;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Every node computes the plan itself, so a worker with different trees would wait forever. */
@Timeout(240)
class SameTreesTest {
    @Tag("slow")
    @Test
    void aWorkerWithDifferentTreesIsRefused() {
        ClusterSettings settings = TestCluster.terms()
                .transport(TransportKind.UDP)
                .workers(4)
                .tree("moody")
                .build();
        try (TestDriver driver = TestDriver.launch();
                TestCluster cluster = TestCluster.start(driver, settings)) {
            cluster.train(worker -> {
                Table table = worker.table("w", 4, 64);
                worker.start(Initialiser.ZEROS);
                table.sync();
                worker.clock();
                worker.drain();
            });
            List<String> messages = new ArrayList<>();
            for (int server = 0; server < settings.servers(); server++) {
                messages.add(cluster.awaitFailure("server " + server).getMessage());
            }
            for (int worker = 0; worker < settings.workers(); worker++) {
                messages.add(cluster.awaitFailure("worker " + worker).getMessage());
            }
            assertTrue(
                    messages.stream()
                            .allMatch(message -> message.contains("worker 2 plans other broadcast trees than")
                                    && message.contains("the same planner moody")),
                    messages::toString);
        }
    }
}
