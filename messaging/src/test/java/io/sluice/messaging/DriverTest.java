package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aeron.Publication;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.idle.Bell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.agrona.BufferUtil;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class DriverTest {
    private final Path directory = Rig.newDirectory();

    @TempDir
    private Path elsewhere;

    @AfterEach
    void cleanUp() {
        IoUtil.delete(directory.toFile(), true);
    }

    private Driver.Context context() {
        return new Driver.Context().directory(directory);
    }

    @Test
    void makesAPrivateDirectoryAndRemovesIt() throws IOException {
        try (Driver driver = Driver.launch(context())) {
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
            assertTrue(Driver.isActive(directory));
            assertEquals(RunningDriver.hostKey(driver.directory()), RunningDriver.hostKey(directory));
        }
        assertFalse(Files.exists(directory));
        assertFalse(Driver.isActive(directory));
    }

    @Test
    void usesAnEmptyDirectoryAndRefusesOneWithOtherFiles() throws IOException {
        Files.createDirectory(directory);
        Driver.launch(context()).close();

        Files.createDirectory(directory);
        Path precious = Files.writeString(directory.resolve("thesis.txt"), "precious");
        MessagingException refusal = assertThrows(MessagingException.class, () -> Driver.launch(context()));
        assertEquals(
                "the directory " + directory + " holds files that do not belong to a media driver, such as thesis.txt;"
                        + " choose an empty or new one",
                refusal.getMessage());
        assertTrue(Files.exists(precious));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @EnabledOnOs(OS.LINUX)
    void aLogHasItsMemoryWhenItOpensUnlessLogsAreSparse(boolean sparse) throws IOException, InterruptedException {
        try (Driver _ = Driver.launch(context().sparseLogs(sparse));
                Transport transport = Transport.connect(new Transport.Context().directory(directory));
                Publication publication = transport.aeron().addPublication("aeron:ipc", 7)) {
            assertFalse(publication.isClosed());
            try (Stream<Path> files = Files.walk(directory)) {
                Path log = files.filter(file -> file.toString().endsWith(".logbuffer"))
                        .findFirst()
                        .orElseThrow();
                Process stat = new ProcessBuilder("stat", "-c", "%b", log.toString()).start();
                long bytes =
                        512 * Long.parseLong(new String(stat.getInputStream().readAllBytes()).strip());
                assertEquals(sparse, bytes < Files.size(log) / 2, () -> bytes + " bytes of " + log);
                assertEquals(!sparse, bytes >= Files.size(log), () -> bytes + " bytes of " + log);
            }
        }
    }

    @Test
    void refusesTheDirectoryOfALivingDriver() {
        try (Driver driver = Driver.launch(context())) {
            MessagingException refusal = assertThrows(MessagingException.class, () -> Driver.launch(context()));
            assertEquals(
                    "a media driver already runs in " + directory + " (process "
                            + ProcessHandle.current().pid()
                            + "); use that one, stop it, or choose another directory",
                    refusal.getMessage());
            assertTrue(Driver.isActive(driver.directory()), "the first one was not disturbed");
            assertEquals(
                    List.of(),
                    RunningDriver.removeStale(
                            directory.getParent(), directory.getFileName().toString()));
        }
    }

    /** The file beside the directory that processes lock while they start a driver. */
    private Path startLock() {
        return directory.resolveSibling("." + directory.getFileName() + ".sluice-start");
    }

    @Test
    void aDriverWaitsWhileAnotherProcessStartsOne() throws Exception {
        try (ExecutorService threads = Executors.newSingleThreadExecutor();
                ChildProcess child = ChildProcess.starting(directory)) {
            Future<Driver> launch = threads.submit(() -> Driver.launch(context()));
            assertThrows(TimeoutException.class, () -> launch.get(500, TimeUnit.MILLISECONDS));
            assertFalse(Files.exists(directory));
            child.kill();
            launch.get().close();
        }
        assertFalse(Files.exists(startLock()));
    }

    @Test
    void ofSeveralDriversThatStartAtOnceOneRuns() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            for (int round = 0; round < 4; round++) {
                CyclicBarrier start = new CyclicBarrier(3);
                Callable<Driver> launch = () -> {
                    start.await();
                    return Driver.launch(context());
                };
                List<String> messages = new ArrayList<>();
                List<Driver> running = new ArrayList<>();
                for (Future<Driver> each : threads.invokeAll(List.of(launch, launch, launch))) {
                    if (each.state() == Future.State.SUCCESS) {
                        running.add(each.resultNow());
                    } else {
                        messages.add(each.exceptionNow().getMessage());
                    }
                }
                try {
                    assertEquals(1, running.size(), messages::toString);
                    String refusal = "a media driver already runs in " + directory;
                    assertTrue(messages.stream().allMatch(each -> each.startsWith(refusal)), messages::toString);
                    assertFalse(Files.exists(startLock()));
                    Transport.connect(new Transport.Context().directory(directory))
                            .close();
                } finally {
                    running.forEach(Driver::close);
                }
                assertFalse(Files.exists(directory));
            }
        }
    }

    @Tag("slow")
    @Test
    void aDriverReplacesOneThatHadABellWhetherClosedOrKilled() throws Exception {
        try (Driver driver = Driver.launch(context().bell(true))) {
            assumeTrue(driver.udpBatch() != Driver.UdpBatch.OFF, "a bell needs batches");
            assertNotSame(Bell.NONE, Bell.of(directory));
        }
        assertFalse(Files.exists(directory));
        try (ChildProcess child = ChildProcess.driverWithBell(directory)) {
            assertNotSame(Bell.NONE, Bell.of(directory));
            child.kill();
        }
        Driver.launch(context().bell(true)).close();
        assertFalse(Files.exists(directory));
    }

    @Test
    void saysWhyItHasNoBell() {
        try (Driver driver = Driver.launch(context().bell(true).udpBatch(Driver.UdpBatch.OFF))) {
            assertEquals(
                    "idle threads poll at short intervals instead of sleeping until they are woken: it needs batches of"
                            + " datagrams",
                    driver.warnings().getLast());
        }
    }

    @Test
    void aKilledDriverIsReplacedAndHasAnotherKey() throws Exception {
        String killedKey;
        try (ChildProcess child = ChildProcess.driver(directory)) {
            assertTrue(Driver.isActive(directory));
            killedKey = RunningDriver.hostKey(directory);
            MessagingException refusal = assertThrows(MessagingException.class, () -> Driver.launch(context()));
            assertTrue(refusal.getMessage().contains("(process " + child.pid() + ")"));
            child.kill();
        }
        assertTrue(Files.exists(directory), "the killed driver left its directory behind");
        try (Driver driver = Driver.launch(context())) {
            assertNotEquals(killedKey, RunningDriver.hostKey(driver.directory()));
        }
        assertFalse(Files.exists(directory));
    }

    @Tag("slow")
    @Test
    void staleDirectoriesAreRemovedAndOthersAreNot() throws Exception {
        Path stale = elsewhere.resolve("job-stale");
        Path live = elsewhere.resolve("job-live");
        Path foreign = Files.createDirectory(elsewhere.resolve("job-notes"));
        Path other = Files.createDirectory(elsewhere.resolve("other"));
        try (ChildProcess killed = ChildProcess.driver(stale);
                Driver living = Driver.launch(new Driver.Context().directory(live))) {
            killed.kill();
            assertEquals(List.of(stale), RunningDriver.removeStale(elsewhere, "job-"));
            assertFalse(Files.exists(stale));
            assertTrue(Driver.isActive(living.directory()));
            assertTrue(Files.exists(foreign));
            assertTrue(Files.exists(other));
        }
        assertEquals(List.of(), RunningDriver.removeStale(elsewhere.resolve("nowhere"), "job-"));
        assertThrows(MessagingException.class, () -> RunningDriver.removeStale(elsewhere, ""));
    }

    @Test
    @Tag("slow")
    void aHalfWrittenFileIsNoDriver() throws IOException {
        Files.createDirectory(directory);
        Files.write(directory.resolve("cnc.dat"), new byte[8192]);
        assertFalse(Driver.isActive(directory));
        Driver.launch(context()).close();
    }

    /** A driver completes its file at any moment while another process decides whether the directory is stale. */
    @Test
    @Tag("slow")
    void aDriverIsActiveWhileItCompletesItsFile() throws Exception {
        try (Driver driver = Driver.launch(context())) {
            Path starting = Files.createDirectory(elsewhere.resolve("starting"));
            Path file = Files.copy(driver.directory().resolve("cnc.dat"), starting.resolve("cnc.dat"));
            UnsafeBuffer version = new UnsafeBuffer(IoUtil.mapExistingFile(file.toFile(), "the file"));
            int complete = version.getIntVolatile(0);
            try (ExecutorService completing = Executors.newSingleThreadExecutor()) {
                for (int i = 0; i < 3_000; i++) {
                    int spins = 20 * (i % 1_000);
                    version.putIntVolatile(0, 0);
                    Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()));
                    Future<?> completed = completing.submit(() -> {
                        for (int spin = 0; spin < spins; spin++) {
                            Thread.onSpinWait();
                        }
                        version.putIntVolatile(0, complete);
                    });
                    assertTrue(Driver.isActive(starting), "attempt " + i);
                    completed.get();
                }
            } finally {
                BufferUtil.free(version);
            }
        }
    }

    @Test
    void checksTheSpaceFirst() {
        MessagingException refusal = assertThrows(
                MessagingException.class, () -> Driver.launch(context().expectedBytes(1L << 60)));
        assertTrue(refusal.getMessage()
                .startsWith("the media driver's directory " + directory + " needs 1099511627776 MiB for logs"));
        assertFalse(Files.exists(directory), "nothing is left behind");

        LogSpace.require(directory, 100, 101);
        refusal = assertThrows(MessagingException.class, () -> LogSpace.require(directory, 96 << 20, 64 << 20));
        assertEquals(
                "the media driver's directory " + directory + " needs 96 MiB for logs but its file system has 64 MiB"
                        + " free; enlarge it (in a container: docker run --shm-size) or choose another"
                        + " directory",
                refusal.getMessage());
    }

    @Test
    void refusesBadSettingsByName() {
        refused(context().clientLivenessNs(1), "clientLivenessNs=1 is outside the allowed range 2000000000 to");
        refused(context().idleParkNs(1), "idleParkNs=1 is outside the allowed range 1000 to 10000000");
        refused(context().expectedBytes(-1), "expectedBytes=-1 is outside");
        refused(context().receiveLoss(1.5, 1), "receiveLoss=1.5 is outside the allowed range 0 (inclusive) to 1");
        refused(context().receiveLoss(Double.NaN, 1), "receiveLoss=NaN is outside");
        refused(context().directory(null), "directory is null");
        refused(context().threading(null), "threading is null");
        refused(
                context().channels(new ChannelSettings().ipcTermLength(100_000)),
                "ipcTermLength=100000 is not a power of two");
    }

    private static void refused(Driver.Context context, String beginning) {
        MessagingException refusal = assertThrows(MessagingException.class, () -> Driver.launch(context));
        assertTrue(refusal.getMessage().startsWith(beginning), refusal.getMessage());
    }

    @Test
    void takesNoMoreThreadsThanCoresCanRun() {
        assertEquals(Driver.Threading.SHARED, Driver.Threading.suiting(2));
        assertEquals(Driver.Threading.SHARED, Driver.Threading.suiting(3));
        assertEquals(Driver.Threading.SHARED_NETWORK, Driver.Threading.suiting(4));
        assertEquals(Driver.Threading.SHARED_NETWORK, Driver.Threading.suiting(7));
        assertEquals(Driver.Threading.DEDICATED, Driver.Threading.suiting(8));
    }

    @Tag("slow")
    @Test
    void aLostDriverIsReportedWithinItsTimeout() throws Exception {
        try (ChildProcess child = ChildProcess.driver(directory)) {
            try (Transport transport = Transport.connect(
                    new Transport.Context().directory(directory).driverTimeoutNs(TimeUnit.SECONDS.toNanos(2)))) {
                Link link = transport.openLink("peer", transport.channels().ipc(), 1);
                child.kill();
                Rig.until(() -> transport.isClosed() && link.isClosed(), () -> {});
                String sentence = transport.failure().getMessage();
                assertTrue(
                        sentence.startsWith("the media driver in " + directory + " is no longer running: "), sentence);
            }
        }
    }

    /** The timeout is five minutes, but on a quiet machine the end of the process is reported within three seconds. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(booleans = {false, true})
    void aDriverWhoseProcessHasEndedIsReportedLongBeforeItsTimeout(boolean invoked) throws Exception {
        Transport.Context context = new Transport.Context()
                .directory(directory)
                .conductorInvoked(invoked)
                .driverTimeoutNs(TimeUnit.MINUTES.toNanos(5));
        try (ChildProcess child = ChildProcess.driver(directory);
                Transport transport = Transport.connect(context)) {
            Link link = transport.openLink("peer", transport.channels().ipc(), 1);
            child.kill();
            long startNs = System.nanoTime();
            Rig.until(() -> transport.isClosed() && link.isClosed(), transport::invoke);
            long afterMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            assertTrue(afterMs < 30_000, () -> "after " + afterMs + " ms");
            String sentence = transport.failure().getMessage();
            String gone = "the media driver in " + directory + " is no longer running: its process \\d+ has ended";
            assertTrue(sentence.matches(gone), sentence);
        }
    }

    @Test
    void connectingWithoutADriverSaysSoAtOnce() {
        MessagingException refusal = assertThrows(
                MessagingException.class, () -> Transport.connect(new Transport.Context().directory(directory)));
        assertEquals(
                "no media driver runs in " + directory + "; start one there, or name the directory of a running one",
                refusal.getMessage());
    }
}
