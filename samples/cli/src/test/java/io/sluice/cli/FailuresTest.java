package io.sluice.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.launch.ChildFailedException;
import io.sluice.cli.launch.ChildFailedException.Kind;
import io.sluice.consistency.snapshot.SnapshotException;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.console.ExitCode;
import io.sluice.messaging.ConnectTimeoutException;
import io.sluice.messaging.api.MessagingException;
import io.sluice.samples.data.DataFormatException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailuresTest {

    @Test
    void eachKindHasItsExitCode() {
        assertEquals(ExitCode.USAGE, Failures.exitCode(new IllegalArgumentException("clocks is 0")));
        assertEquals(ExitCode.DATA, Failures.exitCode(new DataFormatException("file:1:1: no")));
        assertEquals(ExitCode.DATA, Failures.exitCode(new NoSuchFileException("file")));
        assertEquals(ExitCode.DATA, Failures.exitCode(new IOException("disk")));
        assertEquals(ExitCode.UNAVAILABLE, Failures.exitCode(new MessagingException("no media driver")));
        assertEquals(ExitCode.UNAVAILABLE, Failures.exitCode(new ConnectTimeoutException("peer")));
        assertEquals(ExitCode.UNAVAILABLE, Failures.exitCode(new SnapshotException("the snapshot folder")));
        assertEquals(ExitCode.INTERNAL, Failures.exitCode(new IllegalStateException("bug")));
        assertEquals(ExitCode.INTERNAL, Failures.exitCode(new NullPointerException()));
        assertEquals(77, Failures.exitCode(new ChildFailedException("worker 0: said", 77, Kind.TRANSIENT)));
    }

    @Test
    void failuresThatWouldRepeatAreKnownByTheirKind() {
        assertTrue(Failures.isLasting(new ClusterException(Failure.REFUSED, "no place")));
        assertTrue(Failures.isLasting(new SnapshotException("damaged")));
        assertTrue(Failures.isLasting(new DataFormatException("file:1:1: no")));
        assertFalse(Failures.isLasting(new ClusterException(Failure.PEER_LOST, "worker 1 is lost")));
        assertFalse(Failures.isLasting(new ClusterException(Failure.TIMEOUT, "no coordinator answered")));
        assertFalse(Failures.isLasting(new MessagingException("no media driver")));
    }

    @Test
    void failuresWithASentencePrintIt() {
        assertEquals(
                "worker 0 is lost",
                ClusterException.sentence(new ClusterException(Failure.PEER_LOST, "worker 0 is lost")));
        assertEquals("a link is closed", ClusterException.sentence(new MessagingException("a link is closed")));
        assertEquals("java.io.IOException: disk", ClusterException.sentence(new IOException("disk")));
    }

    @ParameterizedTest
    @EnumSource(Failure.class)
    void aFailedClusterIsNotAnInterrupt(Failure failure) {
        int expected = switch (failure) {
            case CLOSED -> ExitCode.INTERRUPTED;
            case NOT_FINITE -> ExitCode.DATA;
            default -> ExitCode.CLUSTER;
        };
        assertEquals(expected, Failures.exitCode(new ClusterException(failure, "why")));
    }

    @Test
    void theSentenceIsTheMessage() {
        assertEquals("clocks is 0", Failures.sentence(new IllegalArgumentException("clocks is 0")));
        assertEquals(
                "worker 1 is lost", Failures.sentence(new ClusterException(Failure.PEER_LOST, "worker 1 is lost")));
        assertEquals("worker 0: said", Failures.sentence(new ChildFailedException("worker 0: said", 69, Kind.LASTING)));
    }

    @Test
    void aMissingFileIsNamed() {
        assertEquals("there is no file mails.txt", Failures.sentence(new NoSuchFileException("mails.txt")));
    }

    @Test
    void aForbiddenFileIsNamed() {
        assertEquals("no permission for the file mails.txt", Failures.sentence(new AccessDeniedException("mails.txt")));
    }

    @Test
    void ctrlCIsNotAFault() {
        assertEquals(ExitCode.INTERRUPTED, Failures.exitCode(new InterruptedException()));
        assertEquals("interrupted", Failures.sentence(new InterruptedException()));
    }

    @Test
    void aBugPrintsItsExceptionAndHowToSeeMore() {
        assertEquals(
                "internal error: java.lang.IllegalStateException: bug (SLUICE_JVM_OPTS=-Dsluice.trace=true shows"
                        + " where)",
                Failures.sentence(new IllegalStateException("bug")));
    }
}
