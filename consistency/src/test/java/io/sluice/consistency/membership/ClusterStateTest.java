package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.membership.ClusterState.Demotion;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Equal events make equal states, even if the state is written and read in between. States stay consistent after events
 * in any order.
 */
class ClusterStateTest {
    private static final int RUNS = 300;
    private static final int SERVERS = 2;

    /** Bytes of the state at the end of the golden Welcome. */
    private static final int GOLDEN_STATE = 320;

    private static Event.Completed completed(SplittableRandom random, int workers) {
        DeathPolicy[] policies = DeathPolicy.values();
        DeathPolicy onDeath = policies[random.nextInt(policies.length)];
        int serversHere = random.nextInt(1, SERVERS + 1);
        int workersHere = random.nextInt(1, workers + 1);
        List<Event.Seat> seats = new ArrayList<>();
        for (int node = 0; node < SERVERS + workers; node++) {
            boolean empty = node < SERVERS ? node >= serversHere : node - SERVERS >= workersHere;
            seats.add(empty ? new Event.Seat(0, "", "") : seat(random));
        }
        StartPoint start = random.nextBoolean() ? StartPoint.FRESH : new StartPoint(7, random.nextLong(5, 10), 4);
        return completed(onDeath, start, seats);
    }

    private static Event.Completed completed(DeathPolicy onDeath, StartPoint start, List<Event.Seat> seats) {
        return new Event.Completed(new Event.Job(1, "terms", "batch=32", SERVERS, onDeath, start), seats);
    }

    private static Event.Seat seat(SplittableRandom random) {
        long nonce = random.nextLong(1, Long.MAX_VALUE);
        return new Event.Seat(nonce, "10.0.0." + random.nextInt(9) + ":40100", "host-" + random.nextInt(3));
    }

    /** A random event, mostly about existing nodes. */
    private static Event any(SplittableRandom random, ClusterState state, int nodes) {
        int place = random.nextInt(nodes + 1);
        boolean exists = place < state.members().size();
        int epoch = exists && random.nextInt(4) > 0 ? state.member(place).epoch() : random.nextInt(4);
        Incarnation node = new Incarnation(place, epoch);
        long clock = random.nextLong(100);
        long later = state.isComplete() ? state.workerSets().lastClock() + random.nextLong(3) : clock;
        Failure kind = random.nextBoolean() ? Failure.PEER_LOST : Failure.REFUSED;
        return switch (random.nextInt(64)) {
            case 0 -> new Event.Failed(Failure.PEER_LOST, place, "it \u00e9nds");
            case 1 -> new Event.Closed();
            case 2 -> completed(random, nodes - SERVERS);
            case 3, 4, 5, 6, 7 -> new Event.Saved(clock, clock / 2, clock / 4);
            case 8, 9, 10 -> new Event.Left(node, clock);
            case 11, 12, 13, 14 -> new Event.Lost(node, clock, kind, "node " + place + " was silent");
            case 15, 16, 17, 18 -> new Event.Rejoined(node, seat(random), new StartPoint(7, clock, -1));
            case 19, 20 -> new Event.Released(node);
            case 21, 22, 23, 24 -> new Event.Demoted(node);
            default ->
                switch (random.nextInt(4)) {
                    case 0 -> new Event.Arrived(place, seat(random));
                    case 1 -> new Event.Proposed(node, random.nextBoolean());
                    case 2 ->
                        new Event.Agreed(
                                null == state.proposal()
                                        ? clock
                                        : state.proposal().number(),
                                later);
                    default -> new Event.Passed(node, later);
                };
        };
    }

    private static List<Event> events(SplittableRandom random) {
        int workers = random.nextInt(1, 6);
        List<Event> made = new ArrayList<>();
        made.add(completed(random, workers));
        ClusterState state = ClusterState.EMPTY.apply(made.getFirst());
        for (int i = random.nextInt(300); i > 0; i--) {
            Event next = any(random, state, SERVERS + workers);
            made.add(next);
            state = state.apply(next);
        }
        return made;
    }

    private static void assertSameState(ClusterState expected, ClusterState found) {
        assertEquals(expected.toString(), found.toString());
    }

    @Test
    void equalEventsMakeEqualStates() {
        Property.holds(RUNS, random -> {
            ClusterState first = ClusterState.EMPTY;
            ClusterState second = ClusterState.EMPTY;
            for (Event event : events(random)) {
                first = first.apply(event);
                second = second.apply(EventCodec.event(EventCodec.encode(event)));
            }
            assertSameState(first, second);
        });
    }

    /** A server is lost as a node on which no other depends, and the agreement precedes the decision. */
    @Test
    void aServerThatIsLostOnceItOwnsSlicesEndsTheJob() {
        ClusterState state = ClusterState.EMPTY.apply(new Event.Completed(
                new Event.Job(1, "terms", "", 2, DeathPolicy.SHRINK, StartPoint.FRESH),
                List.of(new Event.Seat(10, "a:1", "h"), new Event.Seat(0, "", ""), new Event.Seat(11, "b:2", "h"))));
        state = state.apply(new Event.Arrived(1, new Event.Seat(12, "c:3", "h")));
        Incarnation newcomer = state.incarnation(1);
        state = state.apply(new Event.Proposed(newcomer, true));
        Event.Lost lost = new Event.Lost(newcomer, 0, Failure.REFUSED, "server 1 failed");
        assertNull(state.apply(lost).failure());
        state = state.apply(new Event.Agreed(state.number(), 9)).apply(lost);
        assertEquals(
                "server 1 failed; the others wait for the slices that it owns",
                state.failure().message());
    }

    @Test
    void writingAndReadingChangesNothing() {
        Property.holds(RUNS, random -> {
            EventLog steady = new EventLog();
            EventLog read = new EventLog();
            for (Event event : events(random)) {
                if (random.nextInt(4) == 0) {
                    read = EventCodec.log(EventCodec.encode(read));
                }
                assertEquals(steady.apply(event), read.apply(event), event::toString);
                assertSameState(steady.state(), read.state());
                assertSameState(steady.state(), EventCodec.state(EventCodec.encode(steady.state())));
            }
            for (long number = 2; number <= steady.state().number(); number++) {
                assertEquals(steady.event(number), read.event(number));
            }
        });
    }

    /** A node that is welcomed at any time and receives the later events has the state of all others. */
    @Test
    void aStateAndTheLaterEventsMakeTheCurrentState() {
        Property.holds(RUNS, random -> {
            EventLog log = new EventLog();
            List<ClusterState> states = new ArrayList<>(List.of(log.state()));
            for (Event event : events(random)) {
                if (log.apply(event)) {
                    states.add(log.state());
                }
            }
            ClusterState late = states.get(random.nextInt(states.size()));
            for (long number = late.number() + 1; number <= log.state().number(); number++) {
                late = late.apply(log.event(number));
                assertEquals(number, late.number());
            }
            assertSameState(log.state(), late);
        });
    }

    @Test
    void aRepeatedEventHasOneEffect() {
        Property.holds(RUNS, random -> {
            ClusterState state = ClusterState.EMPTY;
            for (Event event : events(random)) {
                state = state.apply(event);
                assertSame(state, state.apply(event), event::toString);
            }
        });
    }

    @Test
    void statesStayConsistent() {
        Property.holds(RUNS, random -> {
            ClusterState state = ClusterState.EMPTY;
            for (Event event : events(random)) {
                String before = state.toString();
                ClusterState next = state.apply(event);
                assertEquals(before, state.toString(), "a state does not change");
                if (next != state) {
                    assertFollows(state, next);
                }
                state = next;
            }
        });
    }

    private static void assertFollows(ClusterState before, ClusterState after) {
        assertEquals(before.number() + 1, after.number());
        assertTrue(after.epoch() - before.epoch() <= 1, "epochs begin one by one");
        if (!before.isComplete()) {
            return;
        }
        assertTrue(after.saved().committed() >= before.saved().committed(), "a committed snapshot stays committed");
        assertTrue(after.workerSets().changes().size()
                        - before.workerSets().changes().size()
                <= 1);
        assertEquals(
                before.workerSets().changes(),
                after.workerSets()
                        .changes()
                        .subList(0, before.workerSets().changes().size()));
        int demoted = before.demotions().size();
        assertEquals(before.demotions(), after.demotions().subList(0, demoted));
        after.demotions()
                .subList(demoted, after.demotions().size())
                .forEach(each -> assertDemoted(each, before, after));
        for (int node = 0; node < after.members().size(); node++) {
            Member was = before.member(node);
            Member now = after.member(node);
            assertTrue(now.epoch() >= was.epoch() && now.epoch() <= after.epoch());
            assertTrue(now.epoch() == was.epoch() || before.isFree(node) || was.presence() == Presence.AWAITED);
            boolean here = now.presence() == Presence.ACTIVE;
            assertTrue(!here || after.takesPart(node), () -> "an active node takes part: " + after);
            boolean apart = now.presence() == Presence.NEWCOMER || now.presence() == Presence.LEAVING;
            assertFalse(apart && after.takesPart(node), () -> "an inactive node takes no part: " + after);
        }
        assertTrue(after.workerSets().owns(0));
        if (null != after.proposal()) {
            Member about = after.member(after.proposal().node().node());
            assertEquals(about.epoch(), after.proposal().node().epoch());
            assertTrue(about.presence().isPresent() || about.presence() == Presence.LOST);
        }
    }

    /** A worker that takes part is demoted once, and its demotion is after all losses and changes so far. */
    private static void assertDemoted(Demotion news, ClusterState before, ClusterState after) {
        int node = news.node().node();
        assertTrue(node >= SERVERS && Presence.ACTIVE == before.member(node).presence(), () -> news + " in " + before);
        assertTrue(before.demotions().stream().noneMatch(each -> each.node().equals(news.node())));
        assertEquals(
                new Demotion(
                        before.incarnation(node),
                        before.epoch(),
                        before.workerSets().changes().size()),
                news);
        assertFalse(after.mayBeDemoted(news.node()));
    }

    @Test
    void anEventAboutAnIncarnationThatIsReplacedHasNoEffect() {
        EventLog log = new EventLog();
        Property.holds(1, random -> {
            List<Event.Seat> seats = List.of(seat(random), seat(random), seat(random));
            log.apply(completed(DeathPolicy.WAIT, StartPoint.FRESH, seats));
            Incarnation first = new Incarnation(2, 0);
            Event lost = new Event.Lost(first, 10, Failure.PEER_LOST, "worker 0 was silent");
            assertTrue(log.apply(lost));
            assertTrue(log.apply(new Event.Rejoined(first, seat(random), StartPoint.FRESH)));
            assertFalse(log.apply(lost));
            assertFalse(log.apply(new Event.Left(first, 11)));
            assertTrue(log.apply(new Event.Left(log.state().incarnation(2), 11)));
            assertTrue(log.state().isOver());
            assertEquals(11, log.state().finalClock());
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whetherTheLastWorkersLossIsAFailureDependsOnWhyTheOthersLeft(boolean done) {
        EventLog log = new EventLog();
        Property.holds(1, random -> {
            List<Event.Seat> seats = List.of(seat(random), seat(random), seat(random), seat(random));
            log.apply(completed(DeathPolicy.SHRINK, StartPoint.FRESH, seats));
            if (!done) {
                assertTrue(log.apply(new Event.Proposed(new Incarnation(2, 0), false)));
                assertTrue(log.apply(new Event.Agreed(2, 9)));
            }
            assertTrue(log.apply(new Event.Left(new Incarnation(2, 0), 11)));
            assertFalse(log.state().isOver());
            assertTrue(log.apply(new Event.Lost(new Incarnation(3, 0), 10, Failure.PEER_LOST, "worker 1 was silent")));
            assertEquals(done, log.state().isOver());
            assertEquals(done, null == log.state().failure());
        });
    }

    /** A worker's place is free once all servers have all of its pushes. A free place can be assigned again. */
    @Test
    void placesAreFreeWhenAllServersHavePassedTheLeave() {
        EventLog log = new EventLog();
        Property.holds(1, random -> {
            List<Event.Seat> seats = List.of(seat(random), seat(random), seat(random), seat(random));
            log.apply(completed(DeathPolicy.SHRINK, StartPoint.FRESH, seats));
            log.apply(new Event.Proposed(new Incarnation(3, 0), false));
            log.apply(new Event.Agreed(2, 9));
            log.apply(new Event.Left(new Incarnation(3, 0), 8));
            assertEquals(Presence.WITHDRAWN, log.state().member(3).presence());
            assertFalse(log.apply(new Event.Arrived(3, seat(random))));
            assertTrue(log.apply(new Event.Passed(new Incarnation(0, 0), 9)));
            assertEquals(Presence.WITHDRAWN, log.state().member(3).presence());
            assertTrue(log.apply(new Event.Passed(new Incarnation(1, 0), 9)));
            assertTrue(log.state().isFree(3));
            Event.Seat newcomer = seat(random);
            assertTrue(log.apply(new Event.Arrived(3, newcomer)));
            assertEquals(Presence.NEWCOMER, log.state().member(3).presence());
            assertFalse(log.apply(new Event.Arrived(1, newcomer)), "a join gets one place");
        });
    }

    @Test
    void aNewcomerThatRejoinsTakesNoPartYet() {
        Property.holds(1, random -> {
            EventLog log = new EventLog();
            List<Event.Seat> seats = List.of(seat(random), seat(random), seat(random), seat(random));
            log.apply(completed(DeathPolicy.WAIT, StartPoint.FRESH, seats));
            log.apply(new Event.Proposed(new Incarnation(3, 0), false));
            log.apply(new Event.Agreed(2, 9));
            log.apply(new Event.Left(new Incarnation(3, 0), 8));
            log.apply(new Event.Passed(new Incarnation(0, 0), 9));
            log.apply(new Event.Passed(new Incarnation(1, 0), 9));
            assertTrue(log.apply(new Event.Arrived(3, seat(random))));
            Incarnation newcomer = log.state().incarnation(3);
            assertTrue(log.apply(new Event.Lost(newcomer, 0, Failure.PEER_LOST, "worker 1 was silent")));
            assertTrue(log.apply(new Event.Rejoined(newcomer, seat(random), StartPoint.FRESH)));
            assertEquals(Presence.NEWCOMER, log.state().member(3).presence());
        });
    }

    @Test
    void bytesThatAreNeitherAnEventNorAStateAreRefused() {
        Property.holds(RUNS, random -> {
            List<Event> all = events(random);
            byte[] valid = EventCodec.encode(all.get(random.nextInt(all.size())));
            byte[] cut = Arrays.copyOf(valid, random.nextInt(valid.length));
            assertThrows(IllegalArgumentException.class, () -> EventCodec.event(cut));
            EventLog log = new EventLog();
            all.forEach(log::apply);
            byte[] state = EventCodec.encode(log.state());
            state[random.nextInt(state.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                ClusterState read = EventCodec.state(state);
                for (int i = 0; i < 50; i++) {
                    read = read.apply(any(
                            random, read, Math.max(SERVERS + 1, read.members().size())));
                }
            } catch (IllegalArgumentException e) {
                assertNotNull(e.getMessage());
            }
        });
    }

    /** The bytes of the golden frames Event and Welcome. */
    @Test
    void theLayoutIsThatOfTheProtocol() throws IOException {
        byte[] agreed = HexFormat.of().parseHex("0408" + "0000000000000012" + "000000000000000d");
        assertEquals(new Event.Agreed(18, 13), EventCodec.event(agreed));
        assertEquals(
                HexFormat.of().formatHex(agreed),
                HexFormat.of().formatHex(EventCodec.encode(new Event.Agreed(18, 13))));
        byte[] demoted = HexFormat.of().parseHex("040d" + "00000003" + "00000002");
        assertEquals(new Event.Demoted(new Incarnation(3, 2)), EventCodec.event(demoted));
        assertEquals(
                HexFormat.of().formatHex(demoted),
                HexFormat.of().formatHex(EventCodec.encode(new Event.Demoted(new Incarnation(3, 2)))));
        List<Event.Seat> seats = List.of(
                new Event.Seat(0x1112131415161718L, "a:1", "h"),
                new Event.Seat(0, "", ""),
                new Event.Seat(0x0102030405060708L, "b:2", ""));
        Event.Job job = new Event.Job(
                0x1122334455667788L, "terms", "batch=32", 1, DeathPolicy.SHRINK, new StartPoint(0x0A0B0C0D, 30, -1));
        ClusterState state = ClusterState.EMPTY.apply(new Event.Completed(job, seats));
        assertNull(state.failure());
        byte[] golden = goldenState();
        assertEquals(HexFormat.of().formatHex(golden), HexFormat.of().formatHex(EventCodec.encode(state)));
        assertSameState(state, EventCodec.state(golden));
    }

    private static byte[] goldenState() throws IOException {
        Path golden = Path.of("..", "codecs", "src", "test", "resources", "golden", "frames.txt");
        String welcome = Files.readAllLines(golden).stream()
                .filter(line -> line.startsWith("WELCOME "))
                .findFirst()
                .orElseThrow();
        byte[] frame = HexFormat.of().parseHex(welcome.substring("WELCOME ".length()));
        return Arrays.copyOfRange(frame, frame.length - GOLDEN_STATE, frame.length);
    }
}
