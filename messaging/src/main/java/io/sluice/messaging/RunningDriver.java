package io.sluice.messaging;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.reports.LossReportUtil;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import io.sluice.messaging.flow.LinkFlowControls;
import io.sluice.messaging.idle.DriverWaits;
import io.sluice.messaging.udp.UdpBatching;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.CloseHelper;

/** A media driver that runs in this process, and static methods that inspect other drivers by their directories. */
public final class RunningDriver implements AutoCloseable {
    /** The maximum value of {@link Driver.Context#clientLivenessNs(long)}, in nanoseconds. */
    public static final long MAX_CLIENT_LIVENESS_NS = TimeUnit.MINUTES.toNanos(5);

    /**
     * The {@link Driver.Context#clientLivenessNs(long)} of a driver whose clients are all threads of its process: a
     * pause of the process stops them and the driver alike, so silence does not prove a death.
     */
    public static final long LIVENESS_OF_THREADS_NS = TimeUnit.MINUTES.toNanos(1);

    /** The drivers of this process, by directory. */
    private static final Map<Path, RunningDriver> HERE = new ConcurrentHashMap<>();

    private final DriverDirectory directory;
    private final MediaDriver mediaDriver;
    private final DriverWaits waits;
    private final Driver.Threading threading;
    private final long clientLivenessNs;
    private final UdpBatch udpBatch;
    private final List<String> warnings;
    private final Thread shutdownHook;
    private boolean closed;

    private RunningDriver(
            DriverDirectory directory,
            MediaDriver mediaDriver,
            DriverWaits waits,
            UdpBatching batching,
            Driver.Context context) {
        this.directory = directory;
        this.mediaDriver = mediaDriver;
        this.waits = waits;
        this.threading = context.threading();
        this.clientLivenessNs = context.clientLivenessNs();
        this.udpBatch = batching.mode();
        this.warnings = Stream.of(SocketLimits.fitOf(context.channels()).advice(), fallback(batching), waits.warning())
                .filter(Objects::nonNull)
                .toList();
        this.shutdownHook = context.closeOnShutdown() ? new Thread(this::stop, "sluice-driver-shutdown") : null;
        if (shutdownHook != null) {
            Runtime.getRuntime().addShutdownHook(shutdownHook);
        }
    }

    private static String fallback(UdpBatching batching) {
        return batching.reason() == null
                ? null
                : "UDP batching falls back to " + batching.mode().text() + ": " + batching.reason();
    }

    /**
     * Launches a driver.
     *
     * @param context its settings, which are in range
     * @return the running driver.
     * @throws MessagingException if a driver already runs in the directory, there is not enough space, the machine does
     *     not support the UDP batches, or Aeron cannot start; no files remain.
     */
    public static RunningDriver launch(Driver.Context context) {
        JvmAccess.require();
        UdpBatching batching = UdpBatching.choose(context.udpBatch(), ReceiveLoss.of(context));
        DriverDirectory directory = new DriverDirectory(context.directory());
        try (DriverStartLock _ = DriverStartLock.acquire(directory.path())) {
            directory.prepare();
            return start(context, batching, directory);
        }
    }

    private static RunningDriver start(Driver.Context context, UdpBatching batching, DriverDirectory directory) {
        MediaDriver mediaDriver = null;
        LinkFlowControls flows = new LinkFlowControls(context.egressRate(), batching.mode() != UdpBatch.OFF);
        DriverWaits waits =
                new DriverWaits(batching.sending(), batching.receiving(), flows::isPacing, context.idleParkNs());
        try {
            LogSpace.check(directory.path(), context.expectedBytes());
            DriverTime time = DriverTime.startingAt(context.timeOfDay());
            MediaDriver.Context aeron = MediaDriverSettings.of(context, batching, flows, directory.path());
            if (context.bell()) {
                waits.applyTo(aeron, directory.path(), batching.mode() != UdpBatch.OFF);
            }
            mediaDriver = MediaDriver.launch(aeron.epochClock(time));
            batching.count();
            directory.makePrivate();
            // The file is empty: no stream can have a loss before the first client connects.
            LogSpace.reserve(
                    LossReportUtil.file(directory.path().toString()).toPath(),
                    mediaDriver.context().lossReportBufferLength());
            ProcessMark.leaveIn(directory.path());
            time.publishIn(directory.path());
            RunningDriver driver = new RunningDriver(directory, mediaDriver, waits, batching, context);
            HERE.put(canonical(directory.path()), driver);
            return driver;
        } catch (RuntimeException
                | IOException
                | InternalError e) { // InternalError: the file system has no space for a page of a mapped file
            CloseHelper.quietCloseAll(mediaDriver, waits);
            directory.remove();
            if (e instanceof MessagingException refusal) {
                throw refusal;
            }
            throw new MessagingException(
                    "the media driver could not start in " + directory.path() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Whether a driver runs in a directory. May take 2.5 s if the driver was killed a moment ago.
     *
     * @param directory directory to examine; need not exist.
     * @return true if its driver is running.
     */
    public static boolean isActive(Path directory) {
        return new DriverDirectory(directory).isLive();
    }

    /**
     * Removes the directories of killed drivers, but never the directory of a running driver, or one that no driver has
     * used.
     *
     * @param parent parent to search, for instance {@code /dev/shm}.
     * @param prefix prefix of the directories' names; not empty.
     * @return the directories removed.
     * @throws MessagingException if the prefix is empty or {@code parent} cannot be listed.
     */
    public static List<Path> removeStale(Path parent, String prefix) {
        return DriverDirectory.removeStale(parent, prefix);
    }

    /**
     * A key of the driver that runs in a directory, equal for all processes that use the driver and different for every
     * other driver. Two processes with equal keys reach each other by shared memory.
     *
     * @param directory directory of a running driver.
     * @return ASCII text of less than 200 characters.
     * @throws MessagingException if no driver has started there.
     */
    public static String hostKey(Path directory) {
        return new DriverDirectory(directory).hostKey();
    }

    /** The directory in which clients find this driver. */
    public Path directory() {
        return directory.path();
    }

    /**
     * The number of threads that the driver of a directory has in this process.
     *
     * @param directory directory that clients would connect to.
     * @return 1 to 3; 0 if there is no driver, or it runs in another process.
     */
    public static int threadsHere(Path directory) {
        RunningDriver driver = HERE.get(canonical(directory));
        return driver == null ? 0 : driver.threading().threads();
    }

    /** The silence after which the driver of a directory in this process gives up a client; 0 if there is no driver. */
    static long clientLivenessHereNs(Path directory) {
        RunningDriver driver = HERE.get(canonical(directory));
        return driver == null ? 0 : driver.clientLivenessNs;
    }

    private static Path canonical(Path directory) {
        return directory.toAbsolutePath().normalize();
    }

    /** How the driver divides its work among threads. */
    public Driver.Threading threading() {
        return threading;
    }

    /** How datagrams are batched; not {@link UdpBatch#AUTO}. */
    public UdpBatch udpBatch() {
        return udpBatch;
    }

    /** Warnings for the user, one sentence each. */
    public List<String> warnings() {
        return warnings;
    }

    /** Stops the driver and removes its directory. Clients should be closed before. Closing twice is harmless. */
    @Override
    public void close() {
        if (shutdownHook != null && Thread.currentThread() != shutdownHook) {
            try {
                Runtime.getRuntime().removeShutdownHook(shutdownHook);
            } catch (IllegalStateException e) {
                // The process is already ending; the hook and this call may both run.
            }
        }
        stop();
    }

    private synchronized void stop() {
        if (!closed) {
            closed = true;
            HERE.remove(canonical(directory.path()), this);
            Uninterrupted.run(mediaDriver::close);
            waits.close();
            directory.remove();
        }
    }

    /**
     * The default directory: {@code sluice-<user>} in {@code /dev/shm}, or in the temporary directory if that does not
     * exist.
     */
    public static Path defaultDirectory() {
        Path memory = Path.of("/dev/shm");
        Path parent = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        Path fallback = parent.resolve("sluice-" + System.getProperty("user.name"));
        return Path.of(Settings.text("sluice.aeron.dir", fallback.toString()));
    }
}
