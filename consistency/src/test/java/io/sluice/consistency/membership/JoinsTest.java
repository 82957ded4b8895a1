package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.HeartbeatDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.Deadline;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.TestDriver;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Liveness;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A coordinator answers simulated nodes; {@link JoiningTest} uses real ones. */
@Timeout(240)
class JoinsTest {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private static final int SERVER = Role.SERVER.ordinal();
    private static final int WORKER = Role.WORKER.ordinal();

    private final List<String> told = new ArrayList<>();
    private final Joins joins = joins(TestCluster.terms().build(), new EventLog(), told, _ -> {});

    /** The log of a job in which all nodes have joined. */
    static EventLog begun(ClusterSettings settings) {
        EventLog log = new EventLog();
        List<Event.Seat> seats = IntStream.range(0, NodeIds.of(settings).count())
                .mapToObj(node -> new Event.Seat(10 + node, "h:" + node, "h"))
                .toList();
        Event.Job job = new Event.Job(7, "", "", settings.serverPlaces(), settings.onDeath(), StartPoint.FRESH);
        log.apply(new Event.Completed(job, seats));
        return log;
    }

    /** Nodes that cannot be reached. */
    static Members members(ClusterSettings settings, EventLog log) {
        Liveness liveness = new Liveness(
                NodeIds.of(settings).count(),
                TimeUnit.SECONDS.toNanos(1),
                TimeUnit.SECONDS.toNanos(5),
                HostLoad.QUIET,
                0);
        Members members = new Members(settings, log, new ControlMessages(), liveness, () -> 0, -1);
        if (log.state().isComplete()) {
            members.admit(IntStream.range(0, NodeIds.of(settings).count())
                    .mapToObj(node -> NodeProxy.unreachable(
                            NodeIds.of(settings).role(node),
                            NodeIds.of(settings).index(node),
                            log.state().member(node).seat()))
                    .toArray(NodeProxy[]::new));
        }
        return members;
    }

    /** For nodes that cannot be reached: refusals and reports are added to a list. */
    static Joins joins(ClusterSettings settings, EventLog log, List<String> told, EventSink sink) {
        return new Joins(
                members(settings, log),
                7,
                SnapshotOrders.none(),
                TimeUnit.MINUTES.toNanos(1),
                Leadership.alone(TimeUnit.MINUTES.toNanos(1)),
                told::add,
                (_, reason) -> told.add(reason),
                sink);
    }

    static NodeProxy candidate(Role role, int index, long nonce) {
        return NodeProxy.unreachable(role, index, new Event.Seat(nonce, "h:" + nonce, "h"));
    }

    private void ask(Role role, int index, long nonce, long nowNs) {
        joins.ask(candidate(role, index, nonce), nowNs);
    }

    @Test
    void everyPlaceCanBeAssigned() {
        for (int index = -1; index < 2; index++) {
            assertNull(joins.refusalOf(SERVER, index, Frame.SCHEMA_VERSION));
        }
        for (int index = -1; index < 3; index++) {
            assertNull(joins.refusalOf(WORKER, index, Frame.SCHEMA_VERSION));
        }
    }

    @Test
    void aPlaceThatDoesNotExistIsRefused() {
        assertEquals(
                "there is no server 2 in a cluster of 2 servers", joins.refusalOf(SERVER, 2, Frame.SCHEMA_VERSION));
        assertEquals(
                "there is no worker 3 in a cluster of 3 workers", joins.refusalOf(WORKER, 3, Frame.SCHEMA_VERSION));
        assertEquals(
                "there is no worker -2 in a cluster of 3 workers", joins.refusalOf(WORKER, -2, Frame.SCHEMA_VERSION));
    }

    @Test
    void anUnknownRoleIsRefused() {
        assertEquals(
                "the node requests role 2, expected 0 (server) or 1 (worker)",
                joins.refusalOf(2, 0, Frame.SCHEMA_VERSION));
        assertEquals(
                "the node requests role 255, expected 0 (server) or 1 (worker)",
                joins.refusalOf(255, 0, Frame.SCHEMA_VERSION));
    }

    @Test
    void anotherVersionIsRefusedBeforeAnythingElse() {
        int other = Frame.SCHEMA_VERSION + 1;
        assertEquals(
                "the node speaks protocol version " + other + ", this cluster speaks " + Frame.SCHEMA_VERSION
                        + ": run the same version of Sluice everywhere",
                joins.refusalOf(99, 99, other));
    }

    /** A server without an index must not take the place of server 0, whose coordinator it has joined first. */
    @Test
    void thePlaceOfTheServerThatCoordinatesIsKept() {
        List<Event> events = new ArrayList<>();
        ClusterSettings settings = TestCluster.terms()
                .servers(1)
                .serverPlaces(2)
                .workers(1)
                .places(1)
                .build();
        Joins elastic = joins(settings, new EventLog(), told, events::add);
        elastic.ask(candidate(Role.WORKER, -1, 1), 0);
        elastic.ask(candidate(Role.SERVER, -1, 2), 0);
        elastic.work(0);
        assertEquals(List.of(), events);
        assertEquals("server 0", elastic.assembly().missing());
        for (int nonce = 4; elastic.hasRoom(SERVER, -1); nonce++) {
            elastic.ask(candidate(Role.SERVER, -1, nonce), 0);
        }
        assertTrue(elastic.hasRoom(SERVER, 0));
        elastic.ask(candidate(Role.SERVER, 0, 3), 0);
        elastic.work(0);
        Event.Completed completed = (Event.Completed) events.getFirst();
        assertEquals(3, completed.seats().getFirst().nonce());
        assertEquals(List.of(), told);
    }

    @Test
    void missingNodesAreNamed() {
        assertEquals("servers 0, 1 and workers 0, 1, 2", joins.assembly().missing());
        joins.assembly().candidates().add(NodeProxy.absent(Role.SERVER, 1));
        joins.assembly().candidates().add(NodeProxy.absent(Role.WORKER, 0));
        joins.assembly().candidates().add(NodeProxy.absent(Role.WORKER, 2));
        assertEquals("server 0 and worker 1", joins.assembly().missing());
        joins.assembly().candidates().add(NodeProxy.absent(Role.SERVER, 0));
        assertEquals("worker 1", joins.assembly().missing());
        joins.assembly().candidates().add(NodeProxy.absent(Role.WORKER, 1));
        assertEquals("", joins.assembly().missing());
    }

    @Test
    void missingNodesAreCountedWhileTheirIndicesAreOpen() {
        joins.assembly().candidates().add(NodeProxy.absent(Role.WORKER, -1));
        assertEquals("servers 0, 1 and any 2 of the 3 workers", joins.assembly().missing());
        Joins large = joins(TestCluster.terms().workers(100).build(), new EventLog(), told, _ -> {});
        assertEquals("servers 0, 1 and all 100 workers", large.assembly().missing());
        large.assembly().candidates().add(NodeProxy.absent(Role.WORKER, 7));
        assertEquals(
                "servers 0, 1 and any 99 of the 100 workers", large.assembly().missing());
    }

    @Test
    void missingNodesAreReportedFromTimeToTime() {
        for (long second = 0; second < 60; second++) {
            long nowNs = TimeUnit.SECONDS.toNanos(second);
            joins.assembly().candidates().forEach(each -> each.askedNs = nowNs);
            joins.work(nowNs);
            if (second == 35) {
                joins.assembly().candidates().add(NodeProxy.absent(Role.SERVER, 0));
                joins.assembly().candidates().add(NodeProxy.absent(Role.SERVER, 1));
            }
        }
        assertEquals(
                List.of(
                        "the coordinator has waited for 10 s for servers 0, 1 and workers 0, 1, 2 to join the cluster;"
                                + " it waits at most 50 s more",
                        "the coordinator has waited for 20 s for servers 0, 1 and workers 0, 1, 2 to join the cluster;"
                                + " it waits at most 40 s more",
                        "the coordinator has waited for 40 s for workers 0, 1, 2 to join the cluster; it waits at most"
                                + " 20 s more"),
                told);
    }

    /** A node that was started again asks for its place while the dead one still has it. */
    @Test
    void aPlaceWhoseHolderIsSilentIsAssignedToTheNextNode() {
        ask(Role.WORKER, 0, 1, 0);
        joins.work(0);
        long restartNs = TimeUnit.SECONDS.toNanos(3);
        ask(Role.WORKER, 0, 2, restartNs);
        joins.work(restartNs);
        assertEquals(1, joins.assembly().candidates().getFirst().nonce);
        assertEquals(2, joins.asking(2).nonce, "the second node waits");
        long missedNs = TimeUnit.SECONDS.toNanos(6);
        joins.asking(2).askedNs = missedNs;
        joins.work(missedNs);
        assertEquals(2, joins.assembly().candidates().getFirst().nonce);
        assertEquals(List.of(), told);
    }

    @Test
    void aPlaceWhoseHolderAnswersIsRefused() {
        ask(Role.WORKER, 0, 1, 0);
        joins.work(0);
        long laterNs = TimeUnit.SECONDS.toNanos(1);
        ask(Role.WORKER, 0, 2, laterNs);
        for (long second = 1; second < 10; second++) {
            long nowNs = TimeUnit.SECONDS.toNanos(second);
            joins.candidates().forEach(each -> each.askedNs = nowNs);
            joins.work(nowNs);
        }
        assertEquals(1, joins.assembly().candidates().getFirst().nonce);
        assertEquals(List.of("worker 0 has already joined"), told);
    }

    /** A frame of a dead process may arrive late, but it cannot name a heartbeat that was sent after the death. */
    @Test
    void aHolderLivesIfItEchoesABeatSentAfterTheRequestForItsPlace() {
        ClusterSettings settings = waiting();
        long[] beat = {0};
        long[] clock = {0};
        boolean[] waits = {false};
        try (TestDriver driver = TestDriver.launch();
                Transport transport = driver.connect();
                Inbox holder = inbox(transport, (buffer, offset, _, template, _) -> {
                    if (HeartbeatDecoder.TEMPLATE_ID == template) {
                        HeartbeatDecoder heartbeat = new HeartbeatDecoder().wrapAndApplyHeader(buffer, offset, header);
                        beat[0] = heartbeat.beat();
                        clock[0] = heartbeat.clock();
                    }
                    return Action.CONTINUE;
                });
                Inbox newcomer = inbox(transport, (buffer, offset, _, template, _) -> {
                    waits[0] |= HeartbeatDecoder.TEMPLATE_ID == template;
                    if (ErrorDecoder.TEMPLATE_ID == template) {
                        told.add(new ErrorDecoder()
                                .wrapAndApplyHeader(buffer, offset, header)
                                .message());
                    }
                    return Action.CONTINUE;
                })) {
            Endpoint address = Endpoint.parse(TestDriver.freeEndpoint());
            long[] nowNs = {0};
            Coordinator coordinator = new Coordinator(
                    ControlNetwork.over(transport),
                    address,
                    settings,
                    7,
                    SnapshotOrders.none(),
                    TimeUnit.MINUTES.toNanos(1),
                    () -> nowNs[0],
                    null,
                    new Leadership(logOf(settings, holder.endpoint().toString()), _ -> {}, 3, 1));
            Runnable cycle = () -> {
                nowNs[0] += TimeUnit.MILLISECONDS.toNanos(1);
                coordinator.doWork();
                holder.poll(16);
                newcomer.poll(16);
            };
            ControlMessages messages = new ControlMessages();
            Link link = transport.openLink("test", driver.channels().udpTo(address), ControlIds.STREAM);
            IntConsumer send = length ->
                    Deadline.await("the message is sent", () -> link.offer(messages.buffer(), 0, length), cycle);
            LongConsumer echo = number -> {
                messages.identify(7, 1);
                long version = clock[0] + 1; // which the coordinator's next heartbeat carries
                send.accept(messages.heartbeat(version, 1, number));
                Deadline.await("the coordinator has processed it", () -> clock[0] == version, cycle);
            };
            Deadline.await("the holder receives a heartbeat", () -> beat[0] > 0, cycle);
            long before = beat[0];
            String endpoint = newcomer.endpoint().toString();
            send.accept(messages.join(Role.SERVER, false, 1, 13, Claims.NONE, endpoint, "h"));
            Deadline.await("the newcomer waits", () -> waits[0], cycle);
            for (int i = 0; i <= settings.livenessMs() / settings.heartbeatMs(); i++) {
                nowNs[0] += TimeUnit.MILLISECONDS.toNanos(settings.heartbeatMs() - 1);
                cycle.run();
            }
            echo.accept(before);
            echo.accept(before - (1L << 32) + 10_000); // the beat of the former leader
            assertEquals(List.of(), told);
            echo.accept(beat[0]);
            Deadline.await("the newcomer is refused", () -> !told.isEmpty(), cycle);
            assertEquals(List.of("server 1 has already joined"), told);
            coordinator.onClose();
        }
    }

    private static ClusterSettings waiting() {
        return TestCluster.terms()
                .servers(2)
                .workers(1)
                .onDeath(DeathPolicy.WAIT)
                .heartbeatMs(50)
                .livenessMs(60_000)
                .build();
    }

    /** The event log of a complete cluster with server 1 at an endpoint. */
    private static EventLog logOf(ClusterSettings settings, String endpoint) {
        EventLog log = new EventLog();
        log.apply(new Event.Completed(
                new Event.Job(7, "", "", 2, settings.onDeath(), StartPoint.FRESH),
                List.of(
                        new Event.Seat(10, TestDriver.freeEndpoint(), "h"),
                        new Event.Seat(11, endpoint, "h"),
                        new Event.Seat(12, TestDriver.freeEndpoint(), "h"))));
        return log;
    }

    private static Inbox inbox(Transport transport, FrameHandler handler) {
        FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, new FrameChecksum());
        return transport.openUdpInbox("test", new Endpoint("127.0.0.1", 0), ControlIds.STREAM, validator, handler);
    }
}
