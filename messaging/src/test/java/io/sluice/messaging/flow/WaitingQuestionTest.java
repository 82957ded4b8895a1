package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.sluice.messaging.driver.Driver.UdpBatch;
import io.sluice.messaging.udp.UdpBatching;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The time that the receiver's windows record for requests that wait, through real sockets: a relay between sender and
 * receiver delays what the receiver sends. The test's own thread runs the driver.
 */
class WaitingQuestionTest {
    private static final int STREAM = 5;
    private static final int MESSAGE = 1_000;
    private static final int LONGEST = 1 << 16;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final SharedWindows windows = new SharedWindows(true);
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[MESSAGE]);
    private MediaDriver driver;
    private Aeron aeron;
    private Subscription subscription;
    private ExclusivePublication publication;

    /** Passes datagrams on, in one direction after a delay. */
    private static final class Relay implements AutoCloseable {
        private record Waiting(long untilNs, ByteBuffer datagram) {}

        private final DatagramChannel front = open();
        private final DatagramChannel back = open();
        private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
        private final ByteBuffer buffer = ByteBuffer.allocate(LONGEST);
        private final SocketAddress receiver;
        private SocketAddress sender;
        private long delayNs;

        private Relay(SocketAddress receiver) throws IOException {
            this.receiver = receiver;
        }

        private static DatagramChannel open() throws IOException {
            DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
            channel.configureBlocking(false);
            return channel;
        }

        private int port() throws IOException {
            return ((InetSocketAddress) front.getLocalAddress()).getPort();
        }

        private void pass() throws IOException {
            SocketAddress from = front.receive(buffer.clear());
            while (from != null) {
                sender = from;
                back.send(buffer.flip(), receiver);
                from = front.receive(buffer.clear());
            }
            while (back.receive(buffer.clear()) != null) {
                ByteBuffer copy = ByteBuffer.allocate(buffer.position()).put(buffer.flip());
                waiting.add(new Waiting(System.nanoTime() + delayNs, copy.flip()));
            }
            while (!waiting.isEmpty() && System.nanoTime() - waiting.peek().untilNs() >= 0) {
                front.send(waiting.poll().datagram(), sender);
            }
        }

        @Override
        public void close() throws IOException {
            front.close();
            back.close();
        }
    }

    private void open(UdpBatch mode) {
        String parent = Files.isWritable(Path.of("/dev/shm")) ? "/dev/shm" : System.getProperty("java.io.tmpdir");
        UdpBatching batching = UdpBatching.choose(mode, null);
        MediaDriver.Context context = new MediaDriver.Context()
                .aeronDirectoryName(parent + "/sluice-test-" + UUID.randomUUID())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.INVOKER)
                .congestControlSupplier(windows)
                .errorHandler(errors::add);
        batching.applyTo(context);
        driver = MediaDriver.launch(context);
        batching.count();
        aeron = Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(driver.aeronDirectoryName())
                .useConductorAgentInvoker(true)
                .driverAgentInvoker(driver.sharedAgentInvoker())
                .errorHandler(errors::add));
    }

    private void until(Relay relay, BooleanSupplier condition) throws IOException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < PATIENCE_NS, "questions waited for " + windows.waitedNs() + " ns");
            driver.sharedAgentInvoker().invoke();
            aeron.conductorAgentInvoker().invoke();
            subscription.poll((buffer, offset, length, header) -> {}, 64);
            if (relay != null) {
                relay.pass();
            }
            if (publication != null && publication.isConnected()) {
                publication.offer(message);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = UdpBatch.class,
            names = {"OFF", "AUTO"})
    void windowsLearnHowLongAQuestionHasWaited(UdpBatch mode) throws IOException {
        open(mode);
        try {
            subscription = aeron.addSubscription("aeron:udp?endpoint=127.0.0.1:0", STREAM);
            until(null, () -> subscription.resolvedEndpoint() != null);
            String port = subscription.resolvedEndpoint().replaceAll(".*:", "");
            try (Relay relay = new Relay(new InetSocketAddress("127.0.0.1", Integer.parseInt(port)))) {
                publication = aeron.addExclusivePublication("aeron:udp?endpoint=127.0.0.1:" + relay.port(), STREAM);
                until(relay, publication::isConnected);
                long quietUntil = System.nanoTime() + 300 * MS;
                until(relay, () -> System.nanoTime() - quietUntil > 0);
                assertTrue(windows.waitedNs() < 15 * MS, "without a delay: " + windows.waitedNs() + " ns");
                relay.delayNs = 40 * MS;
                until(relay, () -> windows.waitedNs() > 35 * MS);
                relay.delayNs = 0;
                until(relay, () -> windows.waitedNs() < 15 * MS);
            }
            assertEquals(List.of(), errors);
        } finally {
            aeron.close();
            driver.close();
        }
    }
}
