package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.membership.JoinRequest;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterType;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server joins and is alive, but workers do not reach it: it is not needed and delays no node. */
@Timeout(240)
class UnreachedServerTest {
    private static TestDriver driver;

    private VersionedTraining training;

    @BeforeAll
    static void launch() {
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close() {
        driver.close();
    }

    private TestCluster begin() {
        training = new VersionedTraining(
                driver,
                TestCluster.terms()
                        .servers(1)
                        .serverPlaces(2)
                        .workers(1)
                        .places(2)
                        .transport(TransportKind.UDP)
                        .build(),
                new Updates(9, VersionedTraining.SHAPES));
        return training.cluster()
                .adjustWorkers(context -> context.sending(ThreadingMode.INVOKER))
                .serve();
    }

    private static boolean isOpen(String link) {
        try (DriverView view = DriverView.open(driver.directory())) {
            return view.read().entries().stream()
                    .anyMatch(entry -> CounterType.LINK_CONNECTED == entry.type()
                            && entry.key().name().equals(link));
        }
    }

    /** The server sends heartbeats but reads nothing; a worker that joins after it does not wait either. */
    @Test
    void noNodeWaitsForAServerThatReadsNothing() {
        try (TestCluster cluster = begin();
                Transport transport = driver.connect()) {
            cluster.train(training::train);
            training.awaitClock(2);
            JoinRequest request = new JoinRequest(
                    Role.SERVER,
                    -1,
                    List.of(Endpoint.parse(cluster.address())),
                    Endpoint.parse("127.0.0.1:0"),
                    List.of(),
                    List.of(),
                    "",
                    TimeUnit.MILLISECONDS.toNanos(Deadline.PATIENCE_MS),
                    TimeUnit.MILLISECONDS.toNanos(Deadline.PATIENCE_MS),
                    TimeUnit.MILLISECONDS.toNanos(Deadline.PATIENCE_MS),
                    SystemNanoClock.INSTANCE,
                    null);
            try (Membership deaf = Membership.join(transport, request)) {
                Deadline.await("a way to it is open", () -> isOpen("worker 0 to server 1"));
                training.awaitClock(training.furthest() + 5);
                cluster.train("newcomer", -1, training::train);
                training.awaitNote("worker 1 takes part from");
                training.awaitClock(training.furthest() + 5);
                deaf.leave(0);
            }
            training.endSoon();
            training.requireSuccess("worker 0", "newcomer", "server 0");
        }
    }

    @Test
    void aServerWithoutTableDeclarationsEndsAlone() throws Exception {
        CountDownLatch resume = new CountDownLatch(1);
        try (TestCluster cluster = begin()) {
            cluster.train(worker -> {
                List<Table> tables = training.updates().declare(worker);
                worker.start(training.updates()::initial);
                tables.forEach(Table::sync);
                assertTrue(resume.await(Deadline.PATIENCE_MS, TimeUnit.MILLISECONDS));
                worker.clock();
                worker.drain();
            });
            cluster.server(0);
            cluster.adjustServers(context -> context.progressNs(TimeUnit.MILLISECONDS.toNanos(300)));
            cluster.add("newcomer");
            ClusterException failure = cluster.awaitFailure("newcomer");
            assertEquals(Failure.TIMEOUT, failure.failure());
            String begin = "received no table declarations from workers [0] within 0 s";
            assertTrue(failure.getMessage().startsWith(begin), failure.getMessage());
            training.awaitNote("server 1: " + begin);
            resume.countDown();
            training.requireSuccess("worker 0", "server 0");
        }
    }
}
