package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.SendChannelEndpointSupplier;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.media.SendChannelEndpoint;
import io.aeron.logbuffer.FragmentHandler;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A stream of messages over a driver with batches, which the test's own thread runs. */
final class Loopback implements AutoCloseable {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int LONGEST = 100_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final MediaDriver driver;
    private final Aeron aeron;
    private final Subscription subscription;
    private final ExclusivePublication publication;
    private SendChannelEndpoint endpoint;
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LONGEST]);
    private final FragmentHandler handler =
            new FragmentAssembler((buffer, offset, length, header) -> check(buffer, offset, length));
    private int sent;
    private int received;
    private long allocated;

    Loopback(UdpBatch mode, Supplier<SocketCalls> calls) {
        UdpBatching batching = UdpBatching.choose(mode, calls, null);
        String parent = Files.isWritable(Path.of("/dev/shm")) ? "/dev/shm" : System.getProperty("java.io.tmpdir");
        MediaDriver.Context context = new MediaDriver.Context()
                .aeronDirectoryName(parent + "/sluice-test-" + UUID.randomUUID())
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.INVOKER)
                .publicationTermBufferLength(1 << 20)
                .errorHandler(errors::add);
        batching.applyTo(context);
        SendChannelEndpointSupplier endpoints = context.sendChannelEndpointSupplier();
        context.sendChannelEndpointSupplier(
                (channel, status, its) -> endpoint = endpoints.newInstance(channel, status, its));
        driver = MediaDriver.launch(context);
        batching.count();
        aeron = Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(driver.aeronDirectoryName())
                .useConductorAgentInvoker(true)
                .driverAgentInvoker(driver.sharedAgentInvoker())
                .errorHandler(errors::add));
        subscription = aeron.addSubscription("aeron:udp?endpoint=127.0.0.1:0", 5);
        until(() -> subscription.resolvedEndpoint() != null);
        publication = aeron.addExclusivePublication("aeron:udp?endpoint=" + subscription.resolvedEndpoint(), 5);
        until(publication::isConnected);
    }

    /** Sends messages of a length and receives them. */
    void exchange(int count, int length) {
        int goal = received + count;
        int last = sent + count;
        until(() -> {
            while (sent < last && offer(length)) {
                sent++;
            }
            return received == goal;
        });
    }

    /** Sends messages as far as they are accepted, while the driver runs some cycles; receives nothing. */
    void cycles(int count, int length) {
        for (int i = 0; i < count; i++) {
            if (offer(length)) {
                sent++;
            }
            driver.sharedAgentInvoker().invoke();
        }
    }

    /** The address on which the subscription listens. */
    InetSocketAddress address() {
        String port = subscription.resolvedEndpoint().replaceAll(".*:", "");
        return new InetSocketAddress("127.0.0.1", Integer.parseInt(port));
    }

    private boolean offer(int length) {
        for (int i = 0; i < length; i += Integer.BYTES) {
            message.putInt(i, word(sent, i));
        }
        return publication.offer(message, 0, length) > 0;
    }

    private static int word(int number, int at) {
        return number * 31 + at;
    }

    private void check(DirectBuffer buffer, int offset, int length) {
        for (int i = 0; i < length; i += Integer.BYTES) {
            if (buffer.getInt(offset + i) != word(received, i)) {
                assertEquals(word(received, i), buffer.getInt(offset + i), "message " + received + " at " + i);
            }
        }
        received++;
    }

    private void until(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < PATIENCE_NS, "the condition was not met in time");
            long before = THREADS.getCurrentThreadAllocatedBytes();
            driver.sharedAgentInvoker().invoke();
            allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
            aeron.conductorAgentInvoker().invoke();
            subscription.poll(handler, 64);
        }
    }

    /** The endpoint that sends the messages. */
    SendChannelEndpoint endpoint() {
        return endpoint;
    }

    /** Bytes that the driver has allocated so far. */
    long allocated() {
        return allocated;
    }

    long value(CounterType type) {
        return CounterReading.of(aeron.countersReader()).sum(type);
    }

    long value(CounterType type, String detail) {
        return CounterReading.of(aeron.countersReader()).entries().stream()
                .filter(entry -> entry.type() == type && entry.key().detail().equals(detail))
                .mapToLong(Entry::value)
                .sum();
    }

    long value(int systemCounter) {
        return CounterReading.of(aeron.countersReader()).system(systemCounter);
    }

    @Override
    public void close() {
        CloseHelper.closeAll(aeron, driver);
    }
}
