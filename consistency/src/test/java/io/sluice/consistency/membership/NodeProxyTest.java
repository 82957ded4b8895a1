package io.sluice.consistency.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.messaging.Link;
import io.sluice.messaging.Patience;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterType;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The join of an outsider costs the coordinator little, and the coordinator never waits for it. */
@Timeout(240)
class NodeProxyTest {
    private TestDriver driver;

    @BeforeEach
    void launch() {
        driver = TestDriver.launch();
    }

    @AfterEach
    void close() {
        driver.close();
    }

    private static NodeProxy candidate(Transport transport, String endpoint) {
        return NodeProxy.reachedBy(
                ControlNetwork.over(transport), Role.WORKER.ordinal(), -1, 1, Claims.NONE, endpoint, "host");
    }

    @Test
    void isReachedByAddress() {
        try (Transport transport = driver.connect()) {
            assertNotNull(candidate(transport, "127.0.0.1:4000"));
            assertNotNull(candidate(transport, "[::1]:4000"));
        }
    }

    /** A lookup of a host name may outlast the liveness time; the other texts are not addresses of single nodes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:4000",
                "no endpoint",
                "127.0.0.1:0",
                "0.0.0.0:4000",
                "0.1.2.3:4000",
                "224.0.1.1:4000",
                "239.1.2.3:4000",
                "240.0.0.1:4000",
                "255.255.255.255:4000",
                "169.254.1.1:4000",
                "[::]:4000",
                "[ff02::1]:4000",
                "[fe80::1]:4000",
                "[::ffff:224.0.1.1]:4000",
            })
    void isNotReachedElsewhere(String endpoint) {
        try (Transport transport = driver.connect()) {
            assertNull(candidate(transport, endpoint));
        }
    }

    /**
     * The conductor of this transport works only when invoked, so a call that returns has not waited for the driver.
     */
    @Test
    void isReachedWithoutWaitingForTheDriver() {
        Transport.Context invoked = new Transport.Context()
                .directory(driver.directory())
                .channels(driver.channels())
                .conductorInvoked(true);
        try (Transport transport = Transport.connect(invoked)) {
            NodeProxy candidate = candidate(transport, "127.0.0.1:4000");
            assertFalse(candidate.isReached());
            Deadline.await(
                    "the node is reached", () -> candidate.flush() == 0 && candidate.isReached(), transport::invoke);
            NodeProxy given = candidate(transport, "127.0.0.1:4001");
            given.close();
            assertFalse(given.isReached());
        }
    }

    @Test
    void linksToOutsidersAreLimitedInNumberAndRate() {
        AtomicLong nowNs = new AtomicLong();
        try (Transport transport = driver.connect()) {
            Endpoint address = Endpoint.parse(TestDriver.freeEndpoint());
            Coordinator coordinator = new Coordinator(
                    ControlNetwork.over(transport),
                    address,
                    TestCluster.terms().build(),
                    7,
                    SnapshotOrders.none(),
                    TimeUnit.MINUTES.toNanos(1),
                    nowNs::get,
                    ClusterSecret.of("what these nodes know".getBytes(US_ASCII)),
                    Leadership.alone(Patience.UNLIMITED));
            ControlMessages messages = new ControlMessages();
            Link link = transport.openLink("test", transport.channels().udpTo(address), ControlIds.STREAM);
            int steps = 5;
            int each = 80;
            int sent = 0;
            for (int step = 1; step <= steps; step++) {
                nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(600));
                while (sent < step * each) {
                    String endpoint = "127.0.0.1:" + (40_000 + sent);
                    int length = messages.join(Role.WORKER, true, -1, sent, Claims.NONE, endpoint, "h");
                    Deadline.await(
                            "the join is sent", () -> link.offer(messages.buffer(), 0, length), coordinator::doWork);
                    sent++;
                }
                int all = sent;
                Deadline.await(
                        "all joins have arrived",
                        () -> count(transport, CounterType.INBOX_FRAMES_RECEIVED) == all,
                        coordinator::doWork);
            }
            long most = 64 + steps * 600 * 32 / 1_000;
            int joins = sent;
            LongSupplier opened = () -> joins - count(transport, CounterType.INBOX_REJECTED);
            Deadline.await("the other joins are counted", () -> opened.getAsLong() <= most, coordinator::doWork);
            assertTrue(opened.getAsLong() >= 64, () -> "only " + opened.getAsLong() + " links were opened");
            coordinator.onClose();
        }
    }

    private static long count(Transport transport, CounterType type) {
        return Counted.of(transport, type, "of the coordinator");
    }
}
