package io.sluice.messaging.driver;

import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.Settings;
import io.sluice.messaging.api.MessagingException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
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
    private final RunningDriver running;

    private Driver(RunningDriver running) {
        this.running = running;
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
     * @param context settings of the driver; not to be used again.
     * @return the running driver.
     * @throws MessagingException if a setting is out of range, a driver already runs in the directory, there is not
     *     enough space, or Aeron cannot start; no files remain.
     */
    public static Driver launch(Context context) {
        context.check();
        return new Driver(RunningDriver.launch(context));
    }

    /**
     * Whether a driver runs in a directory. May take 2.5 s if the driver was killed a moment ago.
     *
     * @param directory directory to examine; need not exist.
     * @return true if its driver is running.
     */
    public static boolean isActive(Path directory) {
        return RunningDriver.isActive(directory);
    }

    /** The directory in which clients find this driver. */
    public Path directory() {
        return running.directory();
    }

    /** How the driver divides its work among threads. */
    public Threading threading() {
        return running.threading();
    }

    /** How datagrams are batched; not {@link UdpBatch#AUTO}. */
    public UdpBatch udpBatch() {
        return running.udpBatch();
    }

    /** Warnings for the user, one sentence each. */
    public List<String> warnings() {
        return running.warnings();
    }

    /** Stops the driver and removes its directory. Clients should be closed before. Closing twice is harmless. */
    @Override
    public void close() {
        running.close();
    }

    /** How a media driver passes datagrams to the kernel and receives them from it: the modes, best first. */
    public enum UdpBatch {
        /** The best mode that the machine supports. */
        AUTO,

        /**
         * Trains: one system call passes up to 64 datagrams of a stream as one piece, which the kernel or the network
         * card segments, and takes received ones in the same way. Linux 5.0 or newer.
         */
        GSO,

        /** Several separate datagrams with one system call. Linux 3.0 or newer. */
        MMSG,

        /** One datagram with each system call, as Aeron sends. */
        OFF;

        /**
         * Reads a mode as {@link #text} writes it, in any case.
         *
         * @param option option for the message
         * @param text   text to read
         * @return the mode
         * @throws IllegalArgumentException that names the option, the text and the modes
         */
        public static UdpBatch parse(String option, String text) {
            return Settings.constant(option, text, UdpBatch.class);
        }

        /** The text of the mode in options and reports. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Settings of a driver; lengths are in bytes. Defaults come from system properties {@code sluice.*}, and from
     * {@link ChannelSettings} for the logs.
     */
    public static final class Context {
        private Path directory = RunningDriver.defaultDirectory();
        private Threading threading = Settings.choice(
                "sluice.driver.threading",
                Threading.suiting(Runtime.getRuntime().availableProcessors()),
                Threading.class);
        private ChannelSettings channels = new ChannelSettings();
        private long idleParkNs = Settings.duration("sluice.driver.idle.park", TimeUnit.MICROSECONDS.toNanos(200));
        private long clientLivenessNs = Settings.duration("sluice.driver.client.liveness", TimeUnit.SECONDS.toNanos(5));
        private long expectedBytes = Settings.size("sluice.driver.expected.bytes", 0);
        private long egressRate = Settings.rate("sluice.driver.egress.rate", 0);
        private boolean bell = Settings.flag("sluice.driver.bell", false);
        private boolean sparseLogs = Settings.flag("sluice.driver.sparse.logs", false);
        private UdpBatch udpBatch = Settings.choice("sluice.udp.batch", UdpBatch.AUTO, UdpBatch.class);
        private double receiveLossRate;
        private long receiveLossSeed;
        private EpochClock timeOfDay = SystemEpochClock.INSTANCE;
        private boolean closeOnShutdown;
        private ErrorHandler errorHandler = error -> {};

        /** Creates settings with the defaults from system properties. */
        public Context() {}

        void check() {
            Settings.present("directory", directory);
            Settings.present("errorHandler", errorHandler);
            Settings.present("timeOfDay", timeOfDay);
            Settings.present("threading", threading);
            Settings.present("udpBatch", udpBatch);
            Settings.present("channels", channels).check();
            Settings.inRange("idleParkNs", idleParkNs, 1_000, TimeUnit.MILLISECONDS.toNanos(10));
            Settings.inRange(
                    "clientLivenessNs",
                    clientLivenessNs,
                    TimeUnit.SECONDS.toNanos(2),
                    RunningDriver.MAX_CLIENT_LIVENESS_NS);
            Settings.inRange("expectedBytes", expectedBytes, 0, Long.MAX_VALUE);
            Settings.inRange("egressRate", egressRate, 0, Long.MAX_VALUE);
            if (!(receiveLossRate >= 0 && receiveLossRate < 1)) {
                throw new MessagingException("receiveLoss=" + receiveLossRate
                        + " is outside the allowed range 0 (inclusive) to 1 (exclusive)");
            }
        }

        /** Sets the driver's directory, which must be absent, empty, or that of a dead driver. */
        public Context directory(Path path) {
            directory = path;
            return this;
        }

        /** The driver's directory. */
        public Path directory() {
            return directory;
        }

        /** Sets the number of threads; by default one up to 3 cores, two up to 7, and three otherwise. */
        public Context threading(Threading mode) {
            threading = mode;
            return this;
        }

        /** How the driver divides its work among threads. */
        public Threading threading() {
            return threading;
        }

        /** Term lengths, MTU, window and socket buffers for channels that do not set their own. */
        public Context channels(ChannelSettings lengths) {
            channels = lengths;
            return this;
        }

        /** Settings of channels that do not set their own. */
        public ChannelSettings channels() {
            return channels;
        }

        /** Longest sleep of an idle driver thread in nanoseconds, 1 us to 10 ms; it bounds the added latency. */
        public Context idleParkNs(long ns) {
            idleParkNs = ns;
            return this;
        }

        /** Longest sleep of an idle driver thread in nanoseconds. */
        public long idleParkNs() {
            return idleParkNs;
        }

        /** Silence in nanoseconds after which a client or a remote sender counts as dead, 2 s to 5 min. */
        public Context clientLivenessNs(long ns) {
            clientLivenessNs = ns;
            return this;
        }

        /** Silence after which a client or a remote sender counts as dead, in nanoseconds. */
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

        /** The clock from which the driver sets its own clock. */
        public EpochClock timeOfDay() {
            return timeOfDay;
        }

        /** Space for the logs of the job; checked before the launch, 0 for no check. */
        public Context expectedBytes(long bytes) {
            expectedBytes = bytes;
            return this;
        }

        /** Space for the logs of the job; 0 for no check. */
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

        /** Rate of the host's link to the network in bits per second; 0 if it is not known. */
        public long egressRate() {
            return egressRate;
        }

        /** For tests: drops a share (0 to 1) of the data datagrams received; equal seeds drop the same ones. */
        public Context receiveLoss(double rate, long seed) {
            receiveLossRate = rate;
            receiveLossSeed = seed;
            return this;
        }

        /** Share of the data datagrams received that is dropped. */
        public double receiveLossRate() {
            return receiveLossRate;
        }

        /** Seed of the choice of datagrams that are dropped. */
        public long receiveLossSeed() {
            return receiveLossSeed;
        }

        /**
         * How datagrams are batched. A mode that the machine does not support is refused; with {@link UdpBatch#AUTO},
         * the default, the driver uses the best one that the machine supports, and {@link Driver#warnings} states why
         * it does not use a better one.
         */
        public Context udpBatch(UdpBatch batch) {
            udpBatch = batch;
            return this;
        }

        /** How datagrams are batched. */
        public UdpBatch udpBatch() {
            return udpBatch;
        }

        /**
         * Whether threads of the driver and of nodes that have nothing to do sleep until one wakes the other, instead
         * of polling at short intervals; false by default. It saves processor time where links are not full. Clients of
         * Aeron that are not nodes of Sluice do not ring: their frames wait up to a millisecond. Without batches of
         * datagrams, it has no effect.
         */
        public Context bell(boolean wakes) {
            bell = wakes;
            return this;
        }

        /** Whether threads of the driver and of nodes wake one another. */
        public boolean bell() {
            return bell;
        }

        /**
         * Whether logs get their memory as they are written, instead of when they open; false by default. Links open
         * sooner and short jobs need less memory. But if the file system of the driver's directory becomes full, the
         * processes that use it die of a fault, without a message.
         */
        public Context sparseLogs(boolean sparse) {
            sparseLogs = sparse;
            return this;
        }

        /** Whether logs get their memory as they are written. */
        public boolean sparseLogs() {
            return sparseLogs;
        }

        /** Whether the end of the process closes the driver and removes its directory; false by default. */
        public Context closeOnShutdown(boolean close) {
            closeOnShutdown = close;
            return this;
        }

        /** Whether the end of the process closes the driver. */
        public boolean closeOnShutdown() {
            return closeOnShutdown;
        }

        /**
         * Sets the handler of errors in the driver, which the driver's threads call; Aeron's error log also has the
         * errors. The default ignores them.
         */
        public Context errorHandler(ErrorHandler handler) {
            errorHandler = handler;
            return this;
        }

        /** The handler of errors in the driver. */
        public ErrorHandler errorHandler() {
            return errorHandler;
        }
    }

    /** How a media driver divides its work among threads. */
    public enum Threading {
        /** One thread for all work. */
        SHARED(1),

        /** One thread for the network, one for clients. */
        SHARED_NETWORK(2),

        /** One thread each to send, to receive, and for clients. */
        DEDICATED(3);

        private final int threads;

        Threading(int threads) {
            this.threads = threads;
        }

        /** The number of threads of a driver. */
        public int threads() {
            return threads;
        }

        /**
         * The mode with the most threads that leave enough cores to the trainers.
         *
         * @param cores cores of the machine
         */
        public static Threading suiting(int cores) {
            if (cores <= 3) {
                return SHARED;
            }
            return cores <= 7 ? SHARED_NETWORK : DEDICATED;
        }
    }
}
