package io.sluice.trials.chaos;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.trials.chaos.Disturbance.Kind;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

final class PlacesTest {
    private static final int SERVERS = 4;
    private static final int WORKERS = 5;
    private static final Terms TERMS =
            new Terms(2, 3, SERVERS, WORKERS, 0, 100, 10, 2_500, "fail", false, "ipc", "flat");

    private long nowNs;
    private final Places places = new Places(TERMS, () -> nowNs);

    private static Disturbance at(double target) {
        return new Disturbance(Kind.WORKER_JOINS, 0, target, 0, 0);
    }

    private void workerJoins(int worker, long clock, String workerSet) {
        places.accept("worker " + worker + " takes part from clock " + clock + " on, which is the first of workers ["
                + workerSet + "]");
    }

    /** In any order of requests, one worker and server 0 stay, and no place is taken twice. */
    @RepeatedTest(20)
    void theLastWorkerAndServer0StayAndNoPlaceIsTakenTwice(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        Set<Integer> there = new TreeSet<>(Set.of(0, 1, SERVERS, SERVERS + 1, SERVERS + 2));
        Set<Integer> passing = new TreeSet<>();
        for (int i = 0; i < 300; i++) {
            Role role = random.nextBoolean() ? Role.SERVER : Role.WORKER;
            if (random.nextInt(3) == 0) {
                places.vacant(role, at(random.nextDouble())).ifPresent(node -> {
                    assertTrue(!there.contains(node) && passing.add(node), "place " + node);
                    assertEquals(role == Role.SERVER, node < SERVERS);
                    places.joins(node);
                });
            } else if (random.nextInt(2) == 0) {
                places.dispensable(role, at(random.nextDouble())).ifPresent(node -> {
                    assertTrue(node != 0 && there.remove(node) && passing.add(node), "node " + node);
                    assertEquals(role == Role.SERVER, node < SERVERS);
                    places.leaves(node);
                });
            } else {
                List<Integer> all = List.copyOf(passing);
                all.stream().filter(_ -> random.nextBoolean()).forEach(node -> {
                    passing.remove(node);
                    if (places.isJoining(node)) {
                        join(node, there);
                    } else {
                        places.ended(node);
                    }
                });
            }
            assertTrue(there.contains(0) && there.stream().anyMatch(node -> node >= SERVERS), there::toString);
            assertEquals(there, thereNow());
        }
        assertTrue(places.crossings().workersCame() > 0 && places.crossings().serversCame() > 0);
    }

    private void join(int node, Set<Integer> there) {
        there.add(node);
        if (node < SERVERS) {
            places.accept("server " + node + " owns slices from clock 5 on, which is the first of servers [0, 1]");
        } else {
            workerJoins(node - SERVERS, 5, "0, 1");
        }
    }

    private Set<Integer> thereNow() {
        return IntStream.range(0, SERVERS + WORKERS)
                .filter(places::isMember)
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void printsWorkerSetsInTheFormatOfTheReference() {
        assertEquals("1:0,1,2", places.workerSets());
        places.joins(SERVERS + 4);
        workerJoins(4, 57, "0, 1, 2, 4");
        places.accept("server 1 owns no slices from clock 60 on, which is the first of servers [0]");
        places.accept("worker 0 no longer takes part from clock 71 on, which is the first of workers [1, 2, 4]");
        assertEquals("1:0,1,2;57:0,1,2,4;71:1,2,4", places.workerSets());
        assertEquals(List.of(1, 2, 4), places.lastWorkerSet());
        assertEquals(new Crossings(1, 1, 0, 1, 0, 0), places.crossings());
        places.restart(new SharedSnapshot(-1, WorkerSetHistory.of(2, 3), List.of()));
        assertEquals("1:0,1,2", places.workerSets());
        assertEquals(new Crossings(1, 1, 0, 1, 0, 0), places.crossings());
    }

    @Test
    void joiningAndLeavingNodesAreNotThereAndOnlyLeavingOnesAreMissed() {
        places.joins(2);
        places.leaves(1);
        assertTrue(places.isJoining(2) && !places.isMissed(2) && !places.isMember(2));
        assertTrue(places.isMissed(1) && !places.isMember(1));
        assertEquals(OptionalInt.empty(), places.dispensable(Role.SERVER, at(0.5)));
        nowNs += TimeUnit.SECONDS.toNanos(1);
        places.leaves(SERVERS);
        assertArrayEquals(new int[] {1, 2}, places.joiningOrLeaving(1_000));
        places.ended(2);
        places.ended(1);
        assertEquals(new Crossings(0, 0, 0, 0, 0, 1), places.crossings());
        assertEquals(OptionalInt.of(3), places.vacant(Role.SERVER, at(0.99)));
        assertEquals(OptionalInt.of(1), places.vacant(Role.SERVER, at(0)));
    }

    /** The coordinator has to lose the node first. */
    @Test
    void thePlaceOfANodeKilledWhileJoiningIsFreeLater() {
        places.joins(2);
        places.killed(2);
        places.joins(3);
        assertFalse(places.isMissed(2));
        assertEquals(OptionalInt.empty(), places.vacant(Role.SERVER, at(0)));
        nowNs += TimeUnit.MILLISECONDS.toNanos(4 * TERMS.limitMs())
                + 1; // the limit on a host with the highest load factor
        assertEquals(OptionalInt.of(2), places.vacant(Role.SERVER, at(0)));
    }
}
