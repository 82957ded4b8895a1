package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.codecs.Frame;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Role;
import io.sluice.messaging.HostLoad;
import io.sluice.messaging.Liveness;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a coordinator answers before anybody has joined; the rest needs real candidates, see {@link JoiningTest}. */
class JoinsTest {
    private static final int SERVER = Role.SERVER.ordinal();
    private static final int WORKER = Role.WORKER.ordinal();

    private final List<String> told = new ArrayList<>();
    private final Joins joins = joins(TestCluster.terms().build(), new EventLog(), told, _ -> {});

    /** For nodes that cannot be reached: what they and others are told goes to a list. */
    static Joins joins(ClusterSettings settings, EventLog log, List<String> told, EventSink sink) {
        Liveness liveness = new Liveness(
                settings.nodeIds().count(),
                TimeUnit.SECONDS.toNanos(1),
                TimeUnit.SECONDS.toNanos(5),
                HostLoad.QUIET,
                0);
        Members members = new Members(settings, log, new ControlMessages(), liveness, () -> 0);
        if (log.state().isComplete()) {
            members.admit(IntStream.range(0, settings.nodeIds().count())
                    .mapToObj(node -> Candidate.unreachable(
                            settings.nodeIds().role(node),
                            settings.nodeIds().index(node),
                            log.state().member(node).seat()))
                    .toArray(Candidate[]::new));
        }
        return new Joins(
                members,
                7,
                SnapshotOrders.none(),
                HostLoad.QUIET,
                TimeUnit.MINUTES.toNanos(1),
                told::add,
                (_, reason) -> told.add(reason),
                sink);
    }

    static Candidate candidate(Role role, int index, long nonce) {
        return Candidate.unreachable(role, index, new Event.Seat(nonce, "h:" + nonce, "h"));
    }

    private void ask(Role role, int index, long nonce, long nowNs) {
        joins.ask(candidate(role, index, nonce), nowNs);
    }

    @Test
    void everyPlaceMayBeTaken() {
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
                "the node asks for role 2, expected 0 (server) or 1 (worker)",
                joins.refusalOf(2, 0, Frame.SCHEMA_VERSION));
        assertEquals(
                "the node asks for role 255, expected 0 (server) or 1 (worker)",
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

    @Test
    void whoIsMissingIsNamed() {
        assertEquals("servers 0, 1 and workers 0, 1, 2", joins.missing());
        joins.assembling().add(Candidate.absent(Role.SERVER, 1));
        joins.assembling().add(Candidate.absent(Role.WORKER, 0));
        joins.assembling().add(Candidate.absent(Role.WORKER, 2));
        assertEquals("server 0 and worker 1", joins.missing());
        joins.assembling().add(Candidate.absent(Role.SERVER, 0));
        assertEquals("worker 1", joins.missing());
        joins.assembling().add(Candidate.absent(Role.WORKER, 1));
        assertEquals("", joins.missing());
    }

    @Test
    void howManyAreMissingIsSaidWhereNobodyKnowsWhich() {
        joins.assembling().add(Candidate.absent(Role.WORKER, -1));
        assertEquals("servers 0, 1 and any 2 of the 3 workers", joins.missing());
        Joins large = joins(TestCluster.terms().workers(100).build(), new EventLog(), told, _ -> {});
        assertEquals("servers 0, 1 and all 100 workers", large.missing());
        large.assembling().add(Candidate.absent(Role.WORKER, 7));
        assertEquals("servers 0, 1 and any 99 of the 100 workers", large.missing());
    }

    @Test
    void whoIsMissingIsToldNowAndThen() {
        for (long second = 0; second < 60; second++) {
            long nowNs = TimeUnit.SECONDS.toNanos(second);
            joins.assembling().forEach(each -> each.askedNs = nowNs);
            joins.work(nowNs);
            if (second == 35) {
                joins.assembling().add(Candidate.absent(Role.SERVER, 0));
                joins.assembling().add(Candidate.absent(Role.SERVER, 1));
            }
        }
        assertEquals(
                List.of(
                        "the cluster is not complete: it has waited for 10 s for servers 0, 1 and workers 0, 1, 2 to"
                                + " join; no limit is set",
                        "the cluster is not complete: it has waited for 20 s for servers 0, 1 and workers 0, 1, 2 to"
                                + " join; no limit is set",
                        "the cluster is not complete: it has waited for 40 s for workers 0, 1, 2 to join; no limit is"
                                + " set"),
                told);
    }

    /** A node that was started again asks for its place while the dead one still has it. */
    @Test
    void aPlaceWhoseHolderIsSilentIsGivenToTheNextThatAsks() {
        ask(Role.WORKER, 0, 1, 0);
        joins.work(0);
        long restartNs = TimeUnit.SECONDS.toNanos(3);
        ask(Role.WORKER, 0, 2, restartNs);
        joins.work(restartNs);
        assertEquals(1, joins.assembling().getFirst().nonce);
        assertEquals(2, joins.asking(2).nonce, "the other waits");
        long missedNs = TimeUnit.SECONDS.toNanos(6);
        joins.asking(2).askedNs = missedNs;
        joins.work(missedNs);
        assertEquals(2, joins.assembling().getFirst().nonce);
        assertEquals(List.of(), told);
    }

    @Test
    void aPlaceWhoseHolderIsHeardIsRefused() {
        ask(Role.WORKER, 0, 1, 0);
        joins.work(0);
        long laterNs = TimeUnit.SECONDS.toNanos(1);
        ask(Role.WORKER, 0, 2, laterNs);
        for (long second = 1; second < 10; second++) {
            long nowNs = TimeUnit.SECONDS.toNanos(second);
            joins.candidates().forEach(each -> each.askedNs = nowNs);
            joins.work(nowNs);
        }
        assertEquals(1, joins.assembling().getFirst().nonce);
        assertEquals(List.of("worker 0 has joined already"), told);
    }
}
