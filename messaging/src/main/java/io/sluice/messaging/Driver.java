package io.sluice.messaging;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.reports.LossReportUtil;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The Aeron media driver of a host: one process launches it, all processes of the host share it through its directory.
 *
 * <p>{@link #launch} refuses a directory in which another driver runs, removes the files of a killed one, makes the
 * directory private to the user (mode 0700), and checks the space for the logs. Each log allocates all of its space
 * when it is opened, and is refused if there is not enough, so a file system that fills up later does not affect the
 * job. {@link #close} removes the directory.
 */
public final class Driver implements AutoCloseable {
    /** The most that {@link Context#clientLivenessNs(long)} may be, in nanoseconds. */
    public static final long MAX_CLIENT_LIVENESS_NS = TimeUnit.MINUTES.toNanos(5);

    /** The drivers of this process, by directory. */
    private static final Map<Path, Driver> HERE = new ConcurrentHashMap<>();

    private final DriverDirectory directory;
    private final MediaDriver mediaDriver;
    private final String hostKey;
    private final List<String> warnings;
    private final Thread shutdownHook;
    private boolean closed;

    private Driver(DriverDirectory directory, MediaDriver mediaDriver, Context context) {
        this.directory = directory;
        this.mediaDriver = mediaDriver;
        this.hostKey = directory.hostKey();
        this.warnings = context.warnings();
        this.shutdownHook = context.closeOnShutdown() ? new Thread(this::stop, "sluice-driver-shutdown") : null;
        if (shutdownHook != null) {
            Runtime.getRuntime().addShutdownHook(shutdownHook);
        }
    }

    /**
     * Launches a driver with the defaults.
     *
     * @return the running driver.
     * @throws MessagingException as {@link #launch(Context)} does.
     */
    public static Driver launch() {
        return launch(new Context());
    }

    /**
     * Launches a driver.
     *
     * @param context its settings; not to be used again.
     * @return the running driver.
     * @throws MessagingException if a setting is out of range, a driver already runs in the directory, there is not
     *     enough space, or Aeron cannot start; no files remain.
     */
    public static Driver launch(Context context) {
        JvmAccess.require();
        context.conclude();
        DriverDirectory directory = new DriverDirectory(context.directory());
        directory.prepare();
        MediaDriver mediaDriver = null;
        try {
            LogSpace.check(directory.path(), context.expectedBytes());
            DriverTime time = DriverTime.startingAt(context.timeOfDay());
            mediaDriver = MediaDriver.launch(
                    MediaDriverSettings.of(context, directory.path()).epochClock(time));
            directory.makePrivate();
            // It is empty: no stream can have a loss before the first client connects.
            LogSpace.reserve(
                    LossReportUtil.file(directory.path().toString()).toPath(),
                    mediaDriver.context().lossReportBufferLength());
            ProcessMark.leaveIn(directory.path());
            time.publishIn(directory.path());
            Driver driver = new Driver(directory, mediaDriver, context);
            HERE.put(canonical(directory.path()), driver);
            return driver;
        } catch (RuntimeException | IOException | InternalError e) { // the last: a page that cannot be backed
            CloseHelper.quietClose(mediaDriver);
            directory.remove();
            if (e instanceof MessagingException refusal) {
                throw refusal;
            }
            throw new MessagingException(
                    "the media driver could not start in " + directory.path() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Whether a driver runs in a directory. May take 2.5 s for one that was killed a moment ago.
     *
     * @param directory to look into; need not exist.
     * @return true if its driver lives.
     */
    public static boolean isActive(Path directory) {
        return new DriverDirectory(directory).isLive();
    }

    /**
     * Removes the directories of killed drivers, but never that of a running driver, or one that no driver has used.
     *
     * @param parent in which to look, for instance {@code /dev/shm}.
     * @param prefix of the directories' names; not empty.
     * @return the directories removed.
     * @throws MessagingException if the prefix is empty or {@code parent} cannot be listed.
     */
    public static List<Path> removeStale(Path parent, String prefix) {
        return DriverDirectory.removeStale(parent, prefix);
    }

    /**
     * Names the driver that runs in a directory: equal for all processes that use it, different from any other driver.
     * Two processes with equal keys reach each other by shared memory.
     *
     * @param directory of a running driver.
     * @return ASCII text of less than 200 characters.
     * @throws MessagingException if no driver has started there.
     */
    public static String hostKey(Path directory) {
        return new DriverDirectory(directory).hostKey();
    }

    /** The key of this driver; see {@link #hostKey(Path)}. */
    public String hostKey() {
        return hostKey;
    }

    /** Where clients find this driver. */
    public Path directory() {
        return directory.path();
    }

    /**
     * How many threads a driver has.
     *
     * @param mode how it divides its work among them.
     * @return 0 to 3.
     */
    public static int threads(ThreadingMode mode) {
        return switch (mode) {
            case DEDICATED -> 3;
            case SHARED_NETWORK -> 2;
            case SHARED -> 1;
            case INVOKER -> 0;
        };
    }

    /**
     * How many threads the driver of a directory has in this process.
     *
     * @param directory that clients would connect to.
     * @return 1 to 3; 0 if there is no driver, or it runs in another process.
     */
    public static int threadsHere(Path directory) {
        Driver driver = HERE.get(canonical(directory));
        return driver == null ? 0 : threads(driver.threading());
    }

    private static Path canonical(Path directory) {
        return directory.toAbsolutePath().normalize();
    }

    /** How the driver divides its work among threads. */
    public ThreadingMode threading() {
        return mediaDriver.context().threadingMode();
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
                // The process is ending already; the hook and this call may both run.
            }
        }
        stop();
    }

    private synchronized void stop() {
        if (!closed) {
            closed = true;
            HERE.remove(canonical(directory.path()), this);
            Uninterrupted.run(mediaDriver::close);
            directory.remove();
        }
    }

    /**
     * Settings of a driver; lengths are in bytes. Defaults come from system properties {@code sluice.*}, and from
     * {@link Channels} for the logs, whose arithmetic is explained there.
     */
    public static final class Context {
        private Path directory = defaultDirectory();
        private ThreadingMode threading = Settings.choice(
                "sluice.driver.threading",
                threadingFor(Runtime.getRuntime().availableProcessors()),
                ThreadingMode.class);
        private Channels.Context channels = new Channels.Context();
        private long idleParkNs = Settings.duration("sluice.driver.idle.park", TimeUnit.MICROSECONDS.toNanos(200));
        private long clientLivenessNs = Settings.duration("sluice.driver.client.liveness", TimeUnit.SECONDS.toNanos(5));
        private long expectedBytes = Settings.size("sluice.driver.expected.bytes", 0);
        private long egressRate = Settings.rate("sluice.driver.egress.rate", 0);
        private double receiveLossRate;
        private long receiveLossSeed;
        private EpochClock timeOfDay = SystemEpochClock.INSTANCE;
        private boolean closeOnShutdown;
        private ErrorHandler errorHandler = error -> {};

        /** With defaults from system properties. */
        public Context() {}

        void conclude() {
            Settings.present("directory", directory);
            Settings.present("errorHandler", errorHandler);
            Settings.present("timeOfDay", timeOfDay);
            if (Settings.present("threading", threading) == ThreadingMode.INVOKER) {
                throw new MessagingException(
                        "threading=INVOKER is not supported; expected SHARED, SHARED_NETWORK or DEDICATED");
            }
            Settings.present("channels", channels).conclude();
            Settings.inRange("idleParkNs", idleParkNs, 1_000, TimeUnit.MILLISECONDS.toNanos(10));
            Settings.inRange("clientLivenessNs", clientLivenessNs, TimeUnit.SECONDS.toNanos(2), MAX_CLIENT_LIVENESS_NS);
            Settings.inRange("expectedBytes", expectedBytes, 0, Long.MAX_VALUE);
            Settings.inRange("egressRate", egressRate, 0, Long.MAX_VALUE);
            if (!(receiveLossRate >= 0 && receiveLossRate < 1)) {
                throw new MessagingException("receiveLoss=" + receiveLossRate
                        + " is outside the allowed range 0 (inclusive) to 1 (exclusive)");
            }
        }

        /** By default {@code sluice-<user>} in {@code /dev/shm}, or in the temporary directory where there is none. */
        static Path defaultDirectory() {
            Path memory = Path.of("/dev/shm");
            Path parent = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
            Path fallback = parent.resolve("sluice-" + System.getProperty("user.name"));
            return Path.of(Settings.text("sluice.aeron.dir", fallback.toString()));
        }

        /** No more threads than cores can run beside the trainers. */
        static ThreadingMode threadingFor(int cores) {
            if (cores <= 3) {
                return ThreadingMode.SHARED;
            }
            return cores <= 7 ? ThreadingMode.SHARED_NETWORK : ThreadingMode.DEDICATED;
        }

        List<String> warnings() {
            String advice = channels.fit().advice();
            return advice == null ? List.of() : List.of(advice);
        }

        /** The driver's directory. It must not exist, be empty, or be that of a dead driver. */
        public Context directory(Path path) {
            directory = path;
            return this;
        }

        public Path directory() {
            return directory;
        }

        /** One thread, two or three; by default 1 up to 3 cores, 2 up to 7, then 3. */
        public Context threading(ThreadingMode mode) {
            threading = mode;
            return this;
        }

        public ThreadingMode threading() {
            return threading;
        }

        /** Term lengths, MTU, window and socket buffers for channels that do not say otherwise themselves. */
        public Context channels(Channels.Context lengths) {
            channels = lengths;
            return this;
        }

        public Channels.Context channels() {
            return channels;
        }

        /** Longest sleep of an idle driver thread in nanoseconds, 1 us to 10 ms; it bounds the added latency. */
        public Context idleParkNs(long ns) {
            idleParkNs = ns;
            return this;
        }

        public long idleParkNs() {
            return idleParkNs;
        }

        /** Silence in nanoseconds after which a client or a remote sender counts as dead, 2 s to 5 min. */
        public Context clientLivenessNs(long ns) {
            clientLivenessNs = ns;
            return this;
        }

        public long clientLivenessNs() {
            return clientLivenessNs;
        }

        /**
         * The clock from which the driver sets its own clock, once: later changes of the system's clock do not affect
         * it.
         */
        public Context timeOfDay(EpochClock clock) {
            timeOfDay = clock;
            return this;
        }

        public EpochClock timeOfDay() {
            return timeOfDay;
        }

        /** Space for the logs of the job; checked before the launch, 0 for no check. */
        public Context expectedBytes(long bytes) {
            expectedBytes = bytes;
            return this;
        }

        public long expectedBytes() {
            return expectedBytes;
        }

        /**
         * Rate of the host's link to the network in bits per second, headers included. Bulk data is sent in small parts
         * at that rate, so that control frames do not wait for whole frames in the network card's queue. 0, the
         * default, if the rate is not known: then nothing is paced.
         */
        public Context egressRate(long bitsPerSecond) {
            egressRate = bitsPerSecond;
            return this;
        }

        public long egressRate() {
            return egressRate;
        }

        /** For tests: drops that share (0 to 1) of the data datagrams received, the same ones for the same seed. */
        public Context receiveLoss(double rate, long seed) {
            receiveLossRate = rate;
            receiveLossSeed = seed;
            return this;
        }

        double receiveLossRate() {
            return receiveLossRate;
        }

        long receiveLossSeed() {
            return receiveLossSeed;
        }

        /** Whether the end of the process closes the driver and removes its directory; false by default. */
        public Context closeOnShutdown(boolean close) {
            closeOnShutdown = close;
            return this;
        }

        public boolean closeOnShutdown() {
            return closeOnShutdown;
        }

        /** Called on errors in the driver, on its threads; Aeron's error log has them too. The default ignores them. */
        public Context errorHandler(ErrorHandler handler) {
            errorHandler = handler;
            return this;
        }

        public ErrorHandler errorHandler() {
            return errorHandler;
        }
    }
}
