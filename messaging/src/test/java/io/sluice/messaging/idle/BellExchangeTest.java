package io.sluice.messaging.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.codecs.Drawn;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Frames;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import io.sluice.messaging.linux.CLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames wake threads that sleep through a driver: one that is not woken sleeps longer than a test may take. */
@Timeout(180)
final class BellExchangeTest {
    private static final long SLEEP_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(50);
    private static final int ROUNDS = 500;

    @TempDir
    private Path parent;

    private Path directory;

    @BeforeEach
    void choose() {
        assumeTrue(CLibrary.isAvailable(), "needs Linux on amd64 or aarch64");
        directory = parent.resolve("driver");
    }

    private Driver launch(Driver.Threading threading) {
        return Driver.launch(
                new Driver.Context().directory(directory).threading(threading).bell(true));
    }

    /** The second driver creates a bell of its own, where that of the first was. */
    @Drawn
    @ParameterizedTest
    @CsvSource({"ipc,SHARED", "ipc,DEDICATED", "udp,SHARED", "udp,SHARED_NETWORK", "udp,DEDICATED"})
    void eachFrameWakesItsReader(String media, Driver.Threading threading) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            try (Driver driver = launch(threading)) {
                assumeTrue(driver.udpBatch() != UdpBatch.OFF, "this machine has no batches");
                assertEquals(
                        List.of(),
                        driver.warnings().stream()
                                .filter(text -> text.contains("bell"))
                                .toList());
                exchange(media);
            }
            assertFalse(Files.exists(directory), "its files are removed");
        }
    }

    private void exchange(String media) throws InterruptedException {
        try (Transport left = connect();
                Transport right = connect()) {
            AtomicLong asked = new AtomicLong();
            AtomicLong answered = new AtomicLong();
            Inbox questions = inbox(right, media, 1, asked);
            Inbox answers = inbox(left, media, 2, answered);
            Link there = link(left, questions, 1);
            Link back = link(right, answers, 2);
            long beganNs = System.nanoTime();
            Thread answerer = Thread.ofPlatform().daemon().start(() -> take(questions, back, asked, 0));
            take(answers, there, answered, 1);
            answerer.join(TimeUnit.NANOSECONDS.toMillis(LIMIT_NS));
            assertTrue(System.nanoTime() - beganNs < LIMIT_NS, "a thread has slept until its timeout");
            assertEquals(ROUNDS, asked.get());
            assertEquals(ROUNDS, answered.get());
        }
    }

    private Transport connect() {
        return Transport.connect(new Transport.Context().directory(directory));
    }

    private static Inbox inbox(Transport transport, String media, int stream, AtomicLong taken) {
        FrameHandler handler = (buffer, offset, length, template, session) -> {
            taken.setRelease(taken.getPlain() + 1);
            return Action.CONTINUE;
        };
        return media.equals("ipc")
                ? transport.openIpcInbox("test", stream, Frames.validator(), handler)
                : transport.openUdpInbox("test", new Endpoint("127.0.0.1", 0), stream, Frames.validator(), handler);
    }

    private static Link link(Transport transport, Inbox inbox, int stream) {
        Endpoint endpoint = inbox.endpoint();
        String channel = endpoint == null
                ? transport.channels().ipc()
                : transport.channels().udpTo(endpoint);
        Link link = transport.openLink("test", channel, stream);
        link.awaitConnected(LIMIT_NS, SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
        return link;
    }

    /** Sends a frame for each that arrives, some of them ahead. */
    private void take(Inbox inbox, Link link, AtomicLong taken, int ahead) {
        Frames frames = new Frames();
        Bell bell = Bell.of(directory);
        IdleStrategy idle = new NodeIdle(bell, SLEEP_NS, SLEEP_NS);
        while (taken.get() < ROUNDS || link.frames() < ROUNDS) {
            int work = inbox.poll(1);
            if (link.frames() < Math.min(taken.get() + ahead, ROUNDS)) {
                work += link.offer(frames.buffer(), 0, frames.encode(link.frames(), 10)) ? 1 : 0;
            }
            idle.idle(work);
        }
        bell.close();
    }
}
