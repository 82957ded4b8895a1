package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.launch.ChildFailedException;
import io.sluice.cli.launch.ChildFailedException.Kind;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.console.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests when all nodes are started again, and the message printed when they are not. */
class RelaunchesTest {
    private static final String RESUME = "./sluice train lr --snapshots dir --restore";
    private static final ChildFailedException KILLED =
            new ChildFailedException("server 0 was ended by signal 9", ExitCode.CLUSTER, Kind.KILLED);
    private static final ChildFailedException REFUSED =
            new ChildFailedException("worker 1: refused", ExitCode.CLUSTER, Kind.LASTING);
    private static final ChildFailedException LOST =
            new ChildFailedException("server 0: worker 1 is lost", ExitCode.CLUSTER, Kind.TRANSIENT);

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    private Relaunches relaunches(DeathPolicy onDeath) {
        ClusterSettings settings = ClusterSettings.builder().onDeath(onDeath).build();
        return new Relaunches(settings, RESUME, new PrintStream(told, true));
    }

    private static String givenUp(Relaunches relaunches, ChildFailedException failed, boolean wasComplete) {
        return assertThrows(ChildFailedException.class, () -> relaunches.require(failed, wasComplete, 0))
                .getMessage();
    }

    @Test
    void failuresWhileAllNodesStartAgainAreRecoveredFromUntilTheBudgetIsSpent() {
        Relaunches relaunches = relaunches(DeathPolicy.WAIT);
        relaunches.require(KILLED, true, 10);
        for (int failure = 1; failure < Relaunches.MOST; failure++) {
            relaunches.require(failure % 2 == 0 ? KILLED : LOST, false, 0);
        }
        assertEquals(
                "server 0: worker 1 is lost: the job has made no progress in 5 starts of all nodes;"
                        + " to continue from the newest snapshot: " + RESUME,
                givenUp(relaunches, LOST, false));
        assertTrue(told.toString().contains("that they share in 8 s (5 of 5)"), told::toString);
    }

    @Test
    void progressRenewsTheBudget() {
        Relaunches relaunches = relaunches(DeathPolicy.WAIT);
        for (long clock = 0; clock < 20; clock++) {
            relaunches.require(LOST, true, clock);
        }
        assertFalse(told.toString().contains("(2 of"), told::toString);
    }

    @Test
    void aRefusalEndsTheJobUnlessANodeWasRefusedAlone() {
        Relaunches relaunches = relaunches(DeathPolicy.WAIT);
        assertEquals("worker 1: refused", givenUp(relaunches, REFUSED, false));
        relaunches.require(REFUSED, true, 10);
        assertEquals(
                "worker 1: refused: another start of all nodes would fail in the same way;"
                        + " to continue from the newest snapshot: " + RESUME,
                givenUp(relaunches, REFUSED, false));
    }

    @Test
    void oneStartOfAllNodesForARefusalIsEnough() {
        Relaunches relaunches = relaunches(DeathPolicy.WAIT);
        relaunches.require(REFUSED, true, 10);
        relaunches.require(KILLED, false, 0);
        assertTrue(givenUp(relaunches, REFUSED, true).contains("would fail in the same way"));
        relaunches.require(REFUSED, true, 11); // there was progress
    }

    @Test
    void aJobThatWasNeverCompleteStartsAgainOnlyForAProcessThatWasKilled() {
        assertEquals(LOST.getMessage(), givenUp(relaunches(DeathPolicy.WAIT), LOST, false));
        relaunches(DeathPolicy.WAIT).require(KILLED, false, 0);
    }

    @Test
    void withoutWaitTheEndNamesTheCommandThatContinuesTheJob() {
        String said = givenUp(relaunches(DeathPolicy.FAIL), LOST, true);
        assertEquals(LOST.getMessage() + "; to continue from the newest snapshot: " + RESUME, said);
    }

    @Test
    void theCommandContinuesFromTheNewestSnapshot() {
        List<String> given = List.of("train", "--restore", "120", "lr", "--restore=7", "--clocks", "5", "--restore");
        assertEquals(List.of("train", "lr", "--clocks", "5", "--restore"), SnapshotOptions.restoringNewest(given));
    }
}
