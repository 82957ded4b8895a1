package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.EventDecoder;
import io.sluice.codecs.sbe.LeadDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.LinkClosedException;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A coordinator takes over from another. */
@Timeout(240)
class TakeoverTest {
    private static final int WORKER = 1;
    private static final long NONCE = 12;
    private static final SnapshotInterval OFTEN = new SnapshotInterval(5, 0);

    private static ClusterSettings settings(DeathPolicy onDeath) {
        return TestCluster.terms().servers(1).workers(2).onDeath(onDeath).build();
    }

    private static Event.Seat seat(long nonce, String endpoint) {
        return new Event.Seat(nonce, endpoint, "host");
    }

    private static EventLog withoutWorker(ClusterSettings settings, String endpoint) {
        EventLog record = new EventLog();
        List<Event.Seat> seats = List.of(
                seat(11, TestDriver.freeEndpoint()), seat(NONCE, endpoint), seat(13, TestDriver.freeEndpoint()));
        assertTrue(record.apply(new Event.Completed(
                new Event.Job(7, "", "", 1, settings.onDeath(), new StartPoint(1, -1, -1)), seats)));
        assertTrue(
                record.apply(new Event.Lost(new Incarnation(WORKER, 0), 3, Failure.PEER_LOST, "worker 0 was silent")));
        return record;
    }

    @ParameterizedTest
    @EnumSource(names = {"SHRINK", "WAIT"})
    void aNodeThatWasLostUnderAnEarlierLeaderReceivesTheEvent(DeathPolicy onDeath) {
        List<String> told = new ArrayList<>();
        try (TestDriver driver = TestDriver.launch();
                Transport transport = driver.connect()) {
            Inbox inbox = transport.openUdpInbox(
                    "test",
                    new Endpoint("127.0.0.1", 0),
                    ControlIds.STREAM,
                    new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum()),
                    (buffer, offset, _, template, _) -> {
                        MessageHeaderDecoder header = new MessageHeaderDecoder();
                        if (LeadDecoder.TEMPLATE_ID == template) {
                            LeadDecoder lead = new LeadDecoder().wrapAndApplyHeader(buffer, offset, header);
                            told.add("lead " + lead.nonce() + " in term " + lead.term());
                        } else if (EventDecoder.TEMPLATE_ID == template) {
                            EventDecoder event = new EventDecoder().wrapAndApplyHeader(buffer, offset, header);
                            byte[] bytes = new byte[event.contentLength()];
                            event.getContent(bytes, 0, bytes.length);
                            told.add("event " + event.number() + ", " + EventCodec.event(bytes));
                        }
                        return Action.CONTINUE;
                    });
            ClusterSettings settings = settings(onDeath);
            Endpoint address = Endpoint.parse(TestDriver.freeEndpoint());
            Coordinator coordinator = new Coordinator(
                    ControlNetwork.over(transport),
                    address,
                    settings,
                    7,
                    new SnapshotOrders(OFTEN, Restoration.NONE),
                    TimeUnit.MINUTES.toNanos(1),
                    SystemNanoClock.INSTANCE,
                    null,
                    new Leadership(withoutWorker(settings, inbox.endpoint().toString()), _ -> {}, 3, 1));
            Link link = transport.openLink("test", driver.channels().udpTo(address), ControlIds.STREAM);
            ControlMessages heartbeats = new ControlMessages();
            heartbeats.identify(7, WORKER);
            heartbeats.enter(0);
            Deadline.await("the lost node is heard and receives the event", () -> told.size() >= 2, () -> {
                link.offer(heartbeats.buffer(), 0, heartbeats.heartbeat(5, 1, 0));
                coordinator.doWork();
                inbox.poll(16);
            });
            coordinator.onClose();
        }
        assertEquals("lead 12 in term 3", told.getFirst());
        assertTrue(told.getLast().startsWith("event 2, Lost[node=Incarnation[node=1"), told::getLast);
    }

    @ParameterizedTest
    @EnumSource(names = {"SHRINK", "WAIT"})
    void aNodeThatIsLostBeforeItsWelcomeIsRefused(DeathPolicy onDeath) {
        List<String> refusals = new ArrayList<>();
        try (TestDriver driver = TestDriver.launch();
                Transport transport = driver.connect()) {
            Inbox inbox = transport.openUdpInbox(
                    "test",
                    new Endpoint("127.0.0.1", 0),
                    ControlIds.STREAM,
                    new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum()),
                    (buffer, offset, _, template, _) -> {
                        if (ErrorDecoder.TEMPLATE_ID == template) {
                            ErrorDecoder error =
                                    new ErrorDecoder().wrapAndApplyHeader(buffer, offset, new MessageHeaderDecoder());
                            refusals.add(error.nonce() + ": " + error.message());
                        }
                        return Action.CONTINUE;
                    });
            ClusterSettings settings = settings(onDeath);
            Endpoint address = Endpoint.parse(TestDriver.freeEndpoint());
            String endpoint = inbox.endpoint().toString();
            Coordinator coordinator = new Coordinator(
                    ControlNetwork.over(transport),
                    address,
                    settings,
                    7,
                    new SnapshotOrders(OFTEN, Restoration.NONE),
                    TimeUnit.MINUTES.toNanos(1),
                    SystemNanoClock.INSTANCE,
                    null,
                    new Leadership(withoutWorker(settings, endpoint), _ -> {}, 3, 1));
            Link link = transport.openLink("test", driver.channels().udpTo(address), ControlIds.STREAM);
            ControlMessages question = new ControlMessages();
            question.identify(0, 0);
            int length = question.join(Role.WORKER, false, 0, NONCE, Claims.NONE, endpoint, "host");
            Deadline.await("the node is refused", () -> !refusals.isEmpty(), () -> {
                link.offer(question.buffer(), 0, length);
                coordinator.doWork();
                inbox.poll(16);
            });
            coordinator.onClose();
        }
        assertEquals("12: worker 0 was lost before its welcome arrived: start it again", refusals.getFirst());
    }

    /** Without its media driver a coordinator receives nothing; it learns of the driver's death seconds later. */
    @Test
    @Tag("slow")
    void aCoordinatorThatReceivesNothingDeclaresNoNodeLost() throws IOException {
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .workers(2)
                .onDeath(DeathPolicy.SHRINK)
                .heartbeatMs(50)
                .livenessMs(1_600)
                .build();
        EventLog record = new EventLog();
        List<Event.Seat> seats = IntStream.range(0, 3)
                .mapToObj(node -> seat(11 + node, TestDriver.freeEndpoint()))
                .toList();
        assertTrue(record.apply(new Event.Completed(
                new Event.Job(7, "", "", 1, settings.onDeath(), new StartPoint(1, -1, -1)), seats)));
        List<Event> decisions = new ArrayList<>();
        TestDriver driver = TestDriver.inChild();
        try (driver;
                Transport transport = driver.connect()) {
            Endpoint address = Endpoint.parse(TestDriver.freeEndpoint());
            Coordinator coordinator = new Coordinator(
                    ControlNetwork.over(transport),
                    address,
                    settings,
                    7,
                    SnapshotOrders.none(),
                    TimeUnit.MINUTES.toNanos(1),
                    SystemNanoClock.INSTANCE,
                    null,
                    new Leadership(record, decisions::add, 3, 1));
            Link link = transport.openLink("test", driver.channels().udpTo(address), ControlIds.STREAM);
            ControlMessages heartbeats = new ControlMessages();
            int[] spoken = {0};
            Deadline.await("all nodes have been heard for a while", () -> spoken[0] >= 60, () -> {
                for (int node = 0; node < 3; node++) {
                    heartbeats.identify(7, node);
                    heartbeats.enter(0);
                    link.offer(heartbeats.buffer(), 0, heartbeats.heartbeat(5, 1, 0));
                }
                spoken[0]++;
                long nextNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.heartbeatMs());
                while (System.nanoTime() - nextNs < 0) {
                    coordinator.doWork();
                    LockSupport.parkNanos(1_000_000);
                }
            });
            assertEquals(List.of(), decisions, "while the driver lives");
            driver.close();
            Runnable cycle = () -> {
                try {
                    coordinator.doWork();
                } catch (LinkClosedException e) {
                    Thread.yield(); // the transport is about to close
                }
            };
            Deadline.await("the death of the driver is known", transport::isClosed, cycle);
            long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(500); // Aeron unmaps its files meanwhile
            while (System.nanoTime() - endNs < 0) {
                cycle.run();
            }
            coordinator.onClose();
        }
        assertEquals(List.of(), decisions);
    }

    @Test
    void aJobThatHasBegunWithoutSnapshotsTakesNone() {
        SnapshotOrders orders = new SnapshotOrders(OFTEN, Restoration.NONE);
        orders.resume(0, new Event.Saved(-1, -1, -1), 3, 0);
        orders.press();
        assertEquals(-1, orders.due(ClusterState.EMPTY, TimeUnit.HOURS.toNanos(1)));
    }

    @Test
    void howOftenSnapshotsAreTakenIsPartOfTheTerms() {
        ClusterSettings settings = settings(DeathPolicy.SHRINK);
        String often = new SnapshotOrders(OFTEN, Restoration.NONE).terms(settings);
        assertEquals(often, new SnapshotOrders(OFTEN, Restoration.NEWEST).terms(settings));
        String seldom = new SnapshotOrders(new SnapshotInterval(6, 0), Restoration.NONE).terms(settings);
        assertEquals(
                3,
                List.of(often, seldom, SnapshotOrders.none().terms(settings)).stream()
                        .distinct()
                        .count());
    }
}
