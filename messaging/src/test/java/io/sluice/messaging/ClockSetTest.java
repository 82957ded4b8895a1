package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.IoUtil;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The system's clock is set while a driver runs: the driver and all its clients ignore this, as if the driver had
 * started with another time of day.
 */
@Timeout(180)
class ClockSetTest {
    private static final long HOUR_MS = 3_600_000;

    private final Path directory = Rig.newDirectory();

    @AfterEach
    void cleanUp() {
        IoUtil.delete(directory.toFile(), true);
    }

    private Driver launch(long setForwardMs) {
        return Driver.launch(new Driver.Context()
                .directory(directory)
                .timeOfDay(() -> SystemEpochClock.INSTANCE.time() - setForwardMs));
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(longs = {HOUR_MS, -HOUR_MS})
    void noPeerCountsAsDead(long setForwardMs) throws InterruptedException {
        Transport.Context client =
                new Transport.Context().directory(directory).driverTimeoutNs(TimeUnit.SECONDS.toNanos(3));
        try (Driver driver = launch(setForwardMs);
                Transport transport = Transport.connect(client);
                DriverView view = DriverView.open(directory)) {
            TimeUnit.SECONDS.sleep(6); // beyond what driver and clients allow each other
            assertFalse(transport.isClosed(), () -> String.valueOf(transport.failure()));
            assertNull(transport.failure());
            assertTrue(view.isAlive());
            assertTrue(Driver.isActive(driver.directory()));
        }
        assertFalse(Files.exists(directory), "nothing is left");
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR_MS, -HOUR_MS})
    void noOtherDriverTakesItsDirectory(long setForwardMs) {
        try (Driver driver = launch(setForwardMs)) {
            assertThrows(MessagingException.class, () -> launch(0));
            assertEquals(
                    List.of(),
                    RunningDriver.removeStale(
                            directory.getParent(), directory.getFileName().toString()));
            assertTrue(Driver.isActive(driver.directory()));
        }
    }

    /** The origin of {@code System.nanoTime()} differs between JVMs, unless the platform states more. */
    @ParameterizedTest
    @ValueSource(longs = {HOUR_MS, -HOUR_MS})
    void clientsMayCountNanosecondsFromAnotherMoment(long laterMs) {
        try (Driver driver = launch(0)) {
            long shiftNs = TimeUnit.MILLISECONDS.toNanos(laterMs);
            long before = DriverTime.of(directory).time();
            long elsewhere =
                    DriverTime.of(directory, () -> System.nanoTime() - shiftNs).time();
            assertTrue(Math.abs(elsewhere - before) < 1_000, before + ", " + elsewhere + " at " + driver.directory());
        }
    }

    @Test
    void continuesFromTheTimeOfTheStartAndWhileTheDriverStalls() throws IOException {
        Files.createDirectory(directory);
        DriverTime time = DriverTime.startingAt(() -> 1_000_000);
        time.publishIn(directory);
        AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE); // monotonic clocks may overflow
        EpochClock client = DriverTime.of(directory, nowNs::get);
        long connected = client.time();
        assertTrue(connected >= 1_000_000 && connected <= time.time(), () -> "at " + connected);
        nowNs.addAndGet(TimeUnit.HOURS.toNanos(1));
        assertEquals(connected + HOUR_MS, client.time(), "the driver publishes nothing, time passes all the same");
        Files.write(directory.resolve(DriverTime.FILE), new byte[3]);
        assertEquals(SystemEpochClock.INSTANCE, DriverTime.of(directory), "half of a file is none");
    }

    /** The death of a driver's process is detected at once, even if another process has its number by then. */
    @Test
    void aProcessWithTheNumberOfADeadDriverIsNotTheDriver() throws IOException {
        try (Driver driver = launch(0)) {
            Path mark = directory.resolve(ProcessMark.FILE);
            String own = Files.readString(mark);
            assertTrue(ProcessMark.of(directory).isAlive(), own);
            Files.writeString(mark, own.substring(0, own.lastIndexOf(' ') + 1) + 1);
            assertFalse(Driver.isActive(driver.directory()), own);
            Files.writeString(mark, "pid:[1] 1 1");
            assertTrue(Driver.isActive(driver.directory()), "of another container: its heartbeat decides");
            assertFalse(
                    new DriverDirectory(directory).isProcessOf(CncFile.read(directory)),
                    "a process of this container with the number is another one");
        }
    }
}
