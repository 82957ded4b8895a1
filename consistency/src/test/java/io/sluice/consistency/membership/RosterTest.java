package io.sluice.consistency.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.codecs.Frame;
import io.sluice.consistency.TestCluster;
import io.sluice.consistency.terms.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a coordinator answers before anybody has joined; the rest needs real candidates, see {@link JoiningTest}. */
class RosterTest {
    private static final int SERVER = Role.SERVER.ordinal();
    private static final int WORKER = Role.WORKER.ordinal();

    private final Roster roster = new Roster(TestCluster.terms().build());

    @Test
    void everyPlaceMayBeTaken() {
        for (int index = -1; index < 2; index++) {
            assertNull(roster.refusalOf(SERVER, index, Frame.SCHEMA_VERSION));
        }
        for (int index = -1; index < 3; index++) {
            assertNull(roster.refusalOf(WORKER, index, Frame.SCHEMA_VERSION));
        }
    }

    @Test
    void aPlaceThatDoesNotExistIsRefused() {
        assertEquals(
                "there is no server 2 in a cluster of 2 servers", roster.refusalOf(SERVER, 2, Frame.SCHEMA_VERSION));
        assertEquals(
                "there is no worker 3 in a cluster of 3 workers", roster.refusalOf(WORKER, 3, Frame.SCHEMA_VERSION));
        assertEquals(
                "there is no worker -2 in a cluster of 3 workers", roster.refusalOf(WORKER, -2, Frame.SCHEMA_VERSION));
    }

    @Test
    void anUnknownRoleIsRefused() {
        assertEquals(
                "the node asks for role 2, expected 0 (server) or 1 (worker)",
                roster.refusalOf(2, 0, Frame.SCHEMA_VERSION));
        assertEquals(
                "the node asks for role 255, expected 0 (server) or 1 (worker)",
                roster.refusalOf(255, 0, Frame.SCHEMA_VERSION));
    }

    @Test
    void anotherVersionIsRefusedBeforeAnythingElse() {
        int other = Frame.SCHEMA_VERSION + 1;
        assertEquals(
                "the node speaks protocol version " + other + ", this cluster speaks " + Frame.SCHEMA_VERSION
                        + ": run the same version of Sluice everywhere",
                roster.refusalOf(99, 99, other));
    }

    @Test
    void whoIsMissingIsNamed() {
        assertEquals("servers 0, 1 and workers 0, 1, 2", roster.missing());
        roster.add(Candidate.absent(Role.SERVER, 1));
        roster.add(Candidate.absent(Role.WORKER, 0));
        roster.add(Candidate.absent(Role.WORKER, 2));
        assertEquals("server 0 and worker 1", roster.missing());
        roster.add(Candidate.absent(Role.SERVER, 0));
        assertEquals("worker 1", roster.missing());
        roster.add(Candidate.absent(Role.WORKER, 1));
        assertEquals("", roster.missing());
    }

    @Test
    void howManyAreMissingIsSaidWhereNobodyKnowsWhich() {
        roster.add(Candidate.absent(Role.WORKER, -1));
        assertEquals("servers 0, 1 and any 2 of the 3 workers", roster.missing());
        Roster large = new Roster(TestCluster.terms().workers(100).build());
        assertEquals("servers 0, 1 and all 100 workers", large.missing());
        large.add(Candidate.absent(Role.WORKER, 7));
        assertEquals("servers 0, 1 and any 99 of the 100 workers", large.missing());
    }

    @Test
    void whoIsMissingIsToldNowAndThen() {
        List<String> told = new ArrayList<>();
        Muster muster = new Muster(roster, told::add, 0);
        for (long second = 0; second < 60; second++) {
            muster.work(TimeUnit.SECONDS.toNanos(second));
            if (second == 35) {
                roster.add(Candidate.absent(Role.SERVER, 0));
                roster.add(Candidate.absent(Role.SERVER, 1));
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
}
