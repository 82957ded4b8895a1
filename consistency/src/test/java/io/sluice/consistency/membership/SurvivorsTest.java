package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.ChildNode;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.PhiAccrualDetector;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** If a node dies silently, all others report it, by type and by name, once it has been silent for too long. */
@Timeout(240)
class SurvivorsTest {
    private static final int LIVENESS_MS = 1_000;

    /** Late heartbeats and a lack of processors extend the silence that nodes allow. */
    private static final long LONGEST_MS = (long) PhiAccrualDetector.CEILING * HostLoad.MOST * LIVENESS_MS;

    private static final Pattern SILENCE =
            Pattern.compile("silent for (\\d+) ms, where (\\d+) ms are allowed, and is lost");

    private final CountDownLatch training = new CountDownLatch(1);
    private TestDriver driver;

    @BeforeEach
    void launch() {
        // Each test has a driver of its own: one that lost a client is busy for a while releasing its resources.
        driver = TestDriver.launch(4 << 20);
    }

    @AfterEach
    void close() {
        driver.close();
    }

    private static ClusterSettings terms() {
        return TestCluster.terms()
                .workers(2)
                .heartbeatMs(100)
                .livenessMs(LIVENESS_MS)
                .build();
    }

    @Tag("slow")
    @Test
    void aKilledWorkerIsReportedByAll() throws IOException {
        try (TestCluster cluster = TestCluster.start(driver, terms());
                ChildNode child = ChildNode.worker(1, cluster.address(), driver.directory())) {
            cluster.train(0, worker -> ChildNode.train(worker, () -> {}));
            child.awaitReady();
            long killedNs = kill(child);
            requireLost(cluster, killedNs, "worker 1 has been silent for ", "server 0", "server 1", "worker 0");
        }
    }

    @Test
    @Tag("slow")
    void aKilledServerIsReportedByAll() throws Exception {
        try (TestCluster cluster = TestCluster.start(driver, terms(), 1);
                ChildNode child = ChildNode.server(1, cluster.address(), driver.directory())) {
            cluster.train(worker -> ChildNode.train(worker, training::countDown));
            child.awaitReady();
            assertTrue(training.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            long killedNs = kill(child);
            requireLost(cluster, killedNs, "server 1 has been silent for ", "server 0", "worker 0", "worker 1");
        }
    }

    @Test
    @Tag("slow")
    void aKilledCoordinatorIsReportedByAll() throws Exception {
        try (TestCluster cluster = TestCluster.start(driver, terms(), 2);
                ChildNode child = ChildNode.coordinator(cluster.address(), driver.directory(), LIVENESS_MS)) {
            cluster.serve(1);
            cluster.train(worker -> ChildNode.train(worker, training::countDown));
            child.awaitReady();
            assertTrue(training.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
            long killedNs = kill(child);
            requireLost(
                    cluster,
                    killedNs,
                    "the coordinator (server 0) has been silent for ",
                    "server 1",
                    "worker 0",
                    "worker 1");
        }
    }

    private static long kill(ChildNode child) {
        long killedNs = System.nanoTime();
        child.kill();
        return killedNs;
    }

    private static void requireLost(TestCluster cluster, long killedNs, String sentence, String... nodes) {
        for (String node : List.of(nodes)) {
            ClusterException failure = cluster.awaitFailure(node);
            assertEquals(Failure.PEER_LOST, failure.failure(), node + ": " + failure.getMessage());
            assertTrue(failure.getMessage().startsWith(sentence), node + ": " + failure.getMessage());
            requireLonger(failure.getMessage());
            long afterMs = TimeUnit.NANOSECONDS.toMillis(cluster.endedNs(node) - killedNs);
            assertTrue(afterMs <= LONGEST_MS + 5_000, node + " took " + afterMs + " ms");
        }
    }

    /** The message states a silence that is longer than the allowed one. */
    private static void requireLonger(String said) {
        Matcher silence = SILENCE.matcher(said);
        assertTrue(silence.find(), said);
        long allowedMs = Long.parseLong(silence.group(2));
        assertTrue(allowedMs >= LIVENESS_MS && allowedMs <= LONGEST_MS, said);
        assertTrue(Long.parseLong(silence.group(1)) >= allowedMs, said);
    }
}
