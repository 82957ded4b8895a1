package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.Property;
import io.sluice.consistency.membership.ClusterRecord.Member;
import io.sluice.consistency.membership.ClusterRecord.Presence;
import io.sluice.consistency.membership.ClusterRecord.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Records of the same decisions are the same, wherever they are made and however often they are saved meanwhile; and
 * whatever is decided, in whatever order, they stay sound.
 */
class ClusterRecordTest {
    private static final int RUNS = 200;
    private static final int SERVERS = 2;

    private static Decision.Completed completed(SplittableRandom random, int workers) {
        DeathPolicy[] policies = DeathPolicy.values();
        DeathPolicy onDeath = policies[random.nextInt(policies.length)];
        List<Decision.Seat> seats = new ArrayList<>();
        for (int node = 0; node < SERVERS + workers; node++) {
            boolean empty = node > SERVERS && random.nextInt(5) == 0;
            seats.add(empty ? new Decision.Seat(0, "", "") : seat(random));
        }
        StartPoint start = random.nextBoolean() ? StartPoint.FRESH : new StartPoint(7, random.nextLong(5, 10), 4);
        return new Decision.Completed(random.nextLong(), "terms", "batch=32", SERVERS, onDeath, start, seats);
    }

    private static Decision.Seat seat(SplittableRandom random) {
        long nonce = random.nextLong(1, Long.MAX_VALUE);
        return new Decision.Seat(nonce, "10.0.0." + random.nextInt(9) + ":40100", "host-" + random.nextInt(3));
    }

    private static Failure kind(SplittableRandom random) {
        return random.nextBoolean() ? Failure.PEER_LOST : Failure.REFUSED;
    }

    /** Anything, mostly about nodes and lives that there are. */
    private static Decision any(SplittableRandom random, ClusterRecord record, int nodes) {
        int node = random.nextInt(nodes + 1);
        boolean exists = node < record.members().size();
        int life = exists && random.nextInt(4) > 0 ? record.member(node).life() : random.nextInt(4);
        long clock = random.nextLong(100);
        return switch (random.nextInt(30)) {
            case 0 -> new Decision.Failed(Failure.PEER_LOST, node, "it \u00e9nds");
            case 1 -> new Decision.Closed();
            case 2, 3 -> new Decision.Vacated(node);
            case 4, 5 -> new Decision.Arrived(node, seat(random));
            case 6 -> completed(random, nodes - SERVERS);
            case 7, 8, 9, 10 -> new Decision.Saved(clock, clock / 2, clock / 4);
            case 11, 12, 13 -> new Decision.Left(node, life, clock, random.nextInt(3) > 0);
            default ->
                random.nextBoolean()
                        ? new Decision.Lost(node, life, clock, kind(random), "node " + node + " was silent")
                        : new Decision.Readmitted(node, life, seat(random), new StartPoint(7, clock, -1));
        };
    }

    private static List<Decision> decisions(SplittableRandom random, ClusterRecord record) {
        int workers = random.nextInt(1, 6);
        List<Decision> made = new ArrayList<>();
        made.add(completed(random, workers));
        record.apply(made.getFirst());
        for (int i = random.nextInt(120); i > 0; i--) {
            Decision next = any(random, record, SERVERS + workers);
            made.add(next);
            record.apply(next);
        }
        return made;
    }

    @Test
    void theSameDecisionsMakeTheSameRecord() {
        Property.holds(RUNS, random -> {
            ClusterRecord first = new ClusterRecord();
            List<Decision> made = decisions(random, first);
            ClusterRecord second = new ClusterRecord();
            for (Decision decision : made) {
                second.apply(RecordCodec.decision(RecordCodec.encode(decision)));
            }
            assertEquals(first, second);
        });
    }

    @Test
    void savingAndLoadingChangesNothing() {
        Property.holds(RUNS, random -> {
            ClusterRecord steady = new ClusterRecord();
            ClusterRecord reloaded = new ClusterRecord();
            for (Decision decision : decisions(random, new ClusterRecord())) {
                if (random.nextInt(4) == 0) {
                    reloaded = RecordCodec.record(RecordCodec.encode(reloaded));
                }
                assertEquals(steady.apply(decision), reloaded.apply(decision), decision::toString);
                assertEquals(steady, reloaded, decision::toString);
            }
        });
    }

    @Test
    void whatIsDecidedTwiceCountsOnce() {
        Property.holds(RUNS, random -> {
            ClusterRecord record = new ClusterRecord();
            for (Decision decision : decisions(random, new ClusterRecord())) {
                boolean idempotent = decision instanceof Decision.Saved;
                record.apply(decision);
                ClusterRecord before = RecordCodec.record(RecordCodec.encode(record));
                assertTrue(!record.apply(decision) || idempotent, decision::toString);
                assertEquals(before, record, decision::toString);
            }
        });
    }

    @Test
    void whoKnowsAnEpochAndIsToldTheTurnsSinceKnowsWhoIsThere() {
        Property.holds(RUNS, random -> {
            ClusterRecord record = new ClusterRecord();
            Decision.Completed begun = null;
            for (Decision decision : decisions(random, new ClusterRecord())) {
                int epoch = record.epoch();
                long committed = record.saved().committed();
                record.apply(decision);
                begun = record.completed();
                assertTrue(record.epoch() == epoch || record.epoch() == epoch + 1, "epochs begin one by one");
                assertTrue(!record.isComplete() || record.saved().committed() >= committed, "what is safe stays so");
            }
            assertEquals(record.epoch(), record.turnsAfter(0).size());
            assertFollowed(record, begun);
        });
    }

    /** Follows the turns as a node does that was there from the start. */
    private static void assertFollowed(ClusterRecord record, Decision.Completed begun) {
        List<Long> nonces = new ArrayList<>();
        List<Boolean> lost = new ArrayList<>();
        begun.seats().forEach(seat -> {
            nonces.add(seat.nonce());
            lost.add(false);
        });
        for (Turn turn : record.turnsAfter(0)) {
            lost.set(turn.node(), turn.lost());
            nonces.set(turn.node(), turn.seat().nonce());
        }
        for (int node = 0; node < record.members().size(); node++) {
            Member member = record.member(node);
            assertEquals(nonces.get(node), member.seat().nonce(), "node " + node);
            if (member.presence() == Presence.AWAY) {
                assertTrue(lost.get(node), "node " + node);
            } else if (member.presence() == Presence.HERE) {
                assertFalse(lost.get(node), "node " + node);
            }
            assertTrue(member.life() <= record.epoch(), "node " + node);
        }
    }

    @Test
    void aDecisionAboutALifeThatIsOverIsNone() {
        ClusterRecord record = new ClusterRecord();
        SplittableRandom random = new SplittableRandom(1);
        List<Decision.Seat> seats = List.of(seat(random), seat(random), seat(random));
        record.apply(
                new Decision.Completed(1, "terms", "batch=32", SERVERS, DeathPolicy.WAIT, StartPoint.FRESH, seats));
        Decision lost = new Decision.Lost(2, 0, 10, Failure.PEER_LOST, "worker 0 was silent");
        assertTrue(record.apply(lost));
        assertTrue(record.apply(new Decision.Readmitted(2, 0, seat(random), StartPoint.FRESH)));
        ClusterRecord before = RecordCodec.record(RecordCodec.encode(record));
        assertFalse(record.apply(lost));
        assertFalse(record.apply(new Decision.Left(2, 0, 11, true)));
        assertEquals(before, record);
        assertTrue(record.apply(new Decision.Left(2, record.member(2).life(), 11, true)));
        assertNotEquals(before, record);
        assertTrue(record.isOver());
        assertEquals(11, record.lastClock());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whetherTheLastWorkersLossIsAFailureDependsOnWhyTheOthersLeft(boolean done) {
        ClusterRecord record = new ClusterRecord();
        SplittableRandom random = new SplittableRandom(1);
        List<Decision.Seat> seats = List.of(seat(random), seat(random), seat(random), seat(random));
        record.apply(
                new Decision.Completed(1, "terms", "batch=32", SERVERS, DeathPolicy.SHRINK, StartPoint.FRESH, seats));
        assertTrue(record.apply(new Decision.Left(2, 0, 11, done)));
        assertFalse(record.isOver());
        assertTrue(record.apply(new Decision.Lost(3, 0, 10, Failure.PEER_LOST, "worker 1 was silent")));
        assertEquals(done, record.isOver());
        assertEquals(done, null == record.failure());
    }
}
