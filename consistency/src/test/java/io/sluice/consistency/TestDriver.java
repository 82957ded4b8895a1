package io.sluice.consistency;

import io.sluice.consistency.membership.LocalMembers;
import io.sluice.messaging.Channels;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;

/** A media driver in a directory of the test's own; several clusters may use it, one after another or at once. */
public final class TestDriver implements AutoCloseable {
    /** A log allocates all its memory when it opens; long terms would be most of the cost of a small cluster. */
    private static final int SHORT_TERM = 256 << 10;

    private static final int LONG_TERM = 1 << 20;

    private final Path directory = newDirectory();
    private final ChannelSettings lengths;
    private final AutoCloseable driver;

    private TestDriver(Driver.Context context, ChannelSettings lengths) {
        this.lengths = lengths;
        this.driver = Driver.launch(context.directory(directory).channels(lengths));
    }

    /** A driver in a JVM of its own. */
    private TestDriver() throws IOException {
        this.lengths = new ChannelSettings();
        this.driver = ChildNode.driver(directory).awaitReady();
    }

    /** A driver without loss, with terms that a test wraps around many times; for frames of up to 32 KiB. */
    public static TestDriver launch() {
        return launch(SHORT_TERM);
    }

    /** A driver without loss, for frames of any length that tables may have. */
    public static TestDriver launchForLongFrames() {
        return launch(LONG_TERM);
    }

    /** A driver without loss. */
    public static TestDriver launch(int termLength) {
        return new TestDriver(new Driver.Context(), terms(termLength));
    }

    /** A driver without loss, with these logs and windows. */
    public static TestDriver launch(ChannelSettings lengths) {
        return new TestDriver(new Driver.Context(), lengths);
    }

    /**
     * A driver with a test's endpoints instead of those for batches; it keeps a silent stream for three times the given
     * time.
     */
    static TestDriver launch(ChannelSettings lengths, long clientLivenessNs) {
        return new TestDriver(new Driver.Context().udpBatch(UdpBatch.OFF).clientLivenessNs(clientLivenessNs), lengths);
    }

    /** A driver that loses a share of the data datagrams it receives. */
    public static TestDriver lossy(double rate, long seed, int termLength) {
        return new TestDriver(new Driver.Context().receiveLoss(rate, seed), terms(termLength));
    }

    /** A driver in a JVM of its own, which {@link #close} kills as {@code kill -9} does. */
    public static TestDriver inChild() throws IOException {
        return new TestDriver();
    }

    private static ChannelSettings terms(int termLength) {
        return new ChannelSettings().ipcTermLength(termLength).udpTermLength(termLength);
    }

    public static Path newDirectory() {
        Path memory = Path.of("/dev/shm");
        Path parent = Files.isWritable(memory) ? memory : Path.of(System.getProperty("java.io.tmpdir"));
        return parent.resolve("sluice-test-" + UUID.randomUUID());
    }

    public Path directory() {
        return directory;
    }

    /** This driver's lengths. */
    public ChannelSettings lengths() {
        return lengths;
    }

    /** Channels with this driver's lengths. */
    public Channels channels() {
        return new Channels(lengths);
    }

    /** One more client of the driver, closed by the caller. */
    public Transport connect() {
        return Transport.connect(new Transport.Context().directory(directory()).channels(channels()));
    }

    /** The sum of the counters of a type whose names contain a string. */
    public long sum(CounterType type, String name) {
        try (DriverView view = DriverView.open(directory)) {
            return view.read().entries().stream()
                    .filter(entry -> type == entry.type() && entry.key().name().contains(name))
                    .mapToLong(Entry::value)
                    .sum();
        }
    }

    /** An address on which no process listens. */
    public static String freeEndpoint() {
        return LocalMembers.free(1).getFirst().toString();
    }

    @Override
    public void close() {
        CloseHelper.close(driver);
        IoUtil.delete(directory.toFile(), true);
    }
}
