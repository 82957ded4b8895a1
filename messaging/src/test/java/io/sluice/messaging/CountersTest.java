package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.AeronCounters;
import io.aeron.Counter;
import io.sluice.codecs.Rejection;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.DutyCycle;
import io.sluice.messaging.counters.FrameKind;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.driver.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counters can be read through the driver's file, and other counters are not mistaken for them. */
@Timeout(180)
@Isolated("sets a system property")
class CountersTest {
    private static final FrameHandler TAKE = (buffer, offset, length, template, session) -> Action.CONTINUE;

    private static final long ANOTHERS = 123_456_789;

    private final Frames frames = new Frames();

    private static CounterReading read(Rig rig) {
        try (DriverView view = DriverView.open(rig.driver.directory())) {
            assertTrue(view.isAlive());
            return view.read();
        }
    }

    private static long value(CounterReading reading, CounterType type, String detail) {
        List<Entry> found = reading.entries().stream()
                .filter(entry -> entry.type() == type && entry.key().detail().equals(detail))
                .toList();
        assertEquals(1, found.size(), type + " " + detail + " in " + reading.entries());
        return found.getFirst().value();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void sayFromOutsideWhatLinkAndInboxSay(String media) {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            int[] toDefer = {3};
            Inbox inbox = rig.inbox(
                    media,
                    (buffer, offset, length, template, session) -> toDefer[0]-- > 0 ? Action.ABORT : Action.CONTINUE);
            Link link = rig.link(inbox);
            UnsafeBuffer junk = new UnsafeBuffer(new byte[3]);
            for (int i = 0; i < 50; i++) {
                int length = frames.encode(i, 1 + 7 * i);
                Rig.until(() -> link.offer(frames.buffer(), 0, length), () -> inbox.poll(10));
            }
            Rig.until(() -> link.offer(junk, 0, 3), () -> inbox.poll(10));
            Rig.until(() -> inbox.frames() == 50 && inbox.rejections().total() == 1, () -> inbox.poll(10));

            Rig.eventually(() -> {
                CounterReading reading = read(rig);
                assertEquals(50, value(reading, CounterType.LINK_FRAMES_SENT, "data"));
                assertEquals(0, value(reading, CounterType.LINK_FRAMES_SENT, "commit"));
                assertEquals(1, value(reading, CounterType.LINK_FRAMES_SENT, "other"));
                assertEquals(link.frames(), reading.sum(CounterType.LINK_FRAMES_SENT));
                assertEquals(link.bytes(), reading.sum(CounterType.LINK_BYTES_SENT));
                assertEquals(
                        link.counters().bytes(FrameKind.DATA), value(reading, CounterType.LINK_BYTES_SENT, "data"));
                assertEquals(link.stalls(), value(reading, CounterType.LINK_STALLS, ""));
                assertEquals(1, value(reading, CounterType.LINK_CONNECTED, ""));
                assertEquals(50, value(reading, CounterType.INBOX_FRAMES_RECEIVED, ""));
                assertEquals(inbox.bytes(), value(reading, CounterType.INBOX_BYTES_RECEIVED, ""));
                assertEquals(3, value(reading, CounterType.INBOX_FRAMES_DEFERRED, ""));
                assertEquals(3, inbox.deferred());
                assertEquals(1, value(reading, CounterType.INBOX_REJECTED, "truncated"));
                for (Entry entry : ofClients(reading)) {
                    assertEquals("test", entry.key().name());
                    assertEquals(Rig.STREAM, entry.key().streamId());
                    assertEquals(ProcessHandle.current().pid(), entry.key().processId());
                }
            });
        }
    }

    @Test
    void belongToOneStreamOfAeron() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("udp", TAKE);
            Link link = rig.link(inbox);
            int length = frames.encode(1, 100);
            assertTrue(link.offer(frames.buffer(), 0, length));
            Rig.until(() -> inbox.frames() == 1, () -> inbox.poll(10));

            Rig.eventually(() -> {
                CounterReading reading = read(rig);
                Entry ofLink = entryOf(reading, CounterType.LINK_STALLS);
                Entry ofInbox = entryOf(reading, CounterType.INBOX_FRAMES_DEFERRED);
                assertEquals(link.sessionId(), ofLink.key().sessionId());
                assertEquals(link.bytes(), reading.ofPublication(AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID, ofLink));
                assertEquals(link.bytes(), reading.ofImages(AeronCounters.DRIVER_RECEIVER_POS_TYPE_ID, ofInbox));
                assertEquals(1, reading.images(ofInbox));
                assertEquals(0, reading.unsent(ofLink));
            });
        }
    }

    /** Without the counters of the driver itself, which it has as long as it runs. */
    private static List<Entry> ofClients(CounterReading reading) {
        return reading.entries().stream()
                .filter(entry -> entry.type().scope() != CounterType.Scope.DRIVER)
                .toList();
    }

    private static Entry entryOf(CounterReading reading, CounterType type) {
        return reading.entries().stream()
                .filter(entry -> entry.type() == type)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void goWithWhatTheyCountButTheSumsStay() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", TAKE);
            Link link = rig.link(inbox);
            int length = frames.encode(1, 100);
            assertTrue(link.offer(frames.buffer(), 0, length));
            Rig.until(() -> inbox.frames() == 1, () -> inbox.poll(10));
            long bytes = link.bytes();

            link.close();
            inbox.close();
            Rig.until(() -> ofClients(read(rig)).isEmpty(), () -> {});
            assertEquals(1, link.frames());
            assertEquals(bytes, link.bytes());
            assertEquals(1, inbox.frames());
        }
    }

    @Test
    @Tag("slow")
    void ofAKilledProcessAreReclaimed() throws Exception {
        Driver.Context hasty = new Driver.Context().clientLivenessNs(TimeUnit.SECONDS.toNanos(2));
        try (Rig rig = new Rig(Rig.shortTerms(), hasty)) {
            Endpoint free = new Endpoint("127.0.0.1", 0);
            Endpoint endpoint = free.withPort(Routes.freePort(free));
            try (ChildProcess child = ChildProcess.inbox(rig.driver.directory(), endpoint)) {
                Rig.eventually(() -> assertTrue(read(rig).entries().stream()
                        .anyMatch(entry -> entry.key().processId() == child.pid())));
                child.kill();
                Rig.until(() -> ofClients(read(rig)).isEmpty(), () -> {});
            }
        }
    }

    /**
     * A suspended process that resumes continues to count, although the driver has freed its counters, which may now be
     * positions of another job's streams.
     */
    @Test
    @Tag("slow")
    void ofASuspendedProcessAreNotWrittenAfterTheyWereFreed() throws Exception {
        Driver.Context hasty = new Driver.Context().clientLivenessNs(TimeUnit.SECONDS.toNanos(2));
        try (Rig rig = new Rig(Rig.shortTerms(), hasty);
                ChildProcess child = ChildProcess.counting(rig.driver.directory())) {
            Rig.eventually(() -> assertEquals(
                    ChildProcess.COUNTERS,
                    ofClients(read(rig)).stream()
                            .filter(entry -> entry.value() > 0)
                            .count()));
            Set<Integer> places =
                    ofClients(read(rig)).stream().map(Entry::counterId).collect(Collectors.toSet());
            child.signal("STOP");
            Rig.until(() -> ofClients(read(rig)).isEmpty(), () -> {});

            List<Counter> others = new ArrayList<>();
            Rig.until(places::isEmpty, () -> {
                Counter other = rig.sender.aeron().addCounter(100_000, "another job's");
                if (places.remove(other.id())) {
                    other.set(ANOTHERS);
                    others.add(other);
                }
            });
            child.signal("CONT");
            child.awaitLost();
            assertEquals(ChildProcess.COUNTERS, others.size());
            others.forEach(other -> assertEquals(ANOTHERS, other.get(), other.label()));
        }
    }

    @Test
    void ofOthersAreIgnored() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            List<Integer> ofTheDriver =
                    read(rig).entries().stream().map(Entry::counterId).toList();
            UnsafeBuffer key = new UnsafeBuffer(new byte[CountersReader.MAX_KEY_LENGTH]);
            for (CounterType type : CounterType.values()) {
                for (int fill : new int[] {0, 0x31, 0x7F, 0xFF}) {
                    key.setMemory(0, key.capacity(), (byte) fill);
                    UnsafeBuffer label = new UnsafeBuffer("\u001b[2Jnot ours".getBytes());
                    rig.sender.aeron().addCounter(type.typeId(), key, 0, key.capacity(), label, 0, label.capacity());
                }
            }
            assertEquals(
                    ofTheDriver,
                    read(rig).entries().stream().map(Entry::counterId).toList());
        }
    }

    @Tag("slow")
    @Test
    void areNotNeededToWork() {
        String property = "aeron.counters.buffer.length";
        String before = System.getProperty(property);
        System.setProperty(property, "1m");
        try (Rig rig = new Rig(Rig.shortTerms())) {
            int left = (1 << 20) / CountersReader.COUNTER_LENGTH;
            Transport greedy = rig.connect();
            for (int i = 0; i < left - 80; i++) {
                greedy.aeron().addCounter(100_000, "foreign");
            }
            for (int i = 0; i < 100 && !rig.receiver.counters().isFull(); i++) {
                rig.receiver.counters().agent("agent " + i);
            }
            Rig.until(() -> rig.receiver.counters().isFull(), () -> {});
            List<Throwable> said = rig.errors.stream()
                    .filter(error -> error instanceof MessagingException)
                    .toList();
            assertEquals(1, said.size(), said.toString());
            assertTrue(said.getFirst().getMessage().contains("cannot allocate more counters"), said.toString());

            DutyCycle plain = rig.receiver.counters().agent("plain");
            plain.took(7);
            assertEquals(7, plain.maxNs());
            SingleWriterCounter counter = rig.receiver.counters().node("node").counter(CounterType.NODE_CLOCK);
            counter.set(3);
            assertEquals(3, counter.get());
            greedy.close();
        } finally {
            if (before == null) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, before);
            }
        }
    }

    @Test
    void anInboxCountsEachReasonThatOccurred() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            Inbox inbox = rig.inbox("ipc", TAKE);
            for (int i = 0; i < Rejection.size(); i += 2) {
                for (int times = 0; times <= i; times++) {
                    inbox.reject(Rejection.at(i));
                }
            }
            Rig.eventually(() -> {
                CounterReading reading = read(rig);
                for (int i = 0; i < Rejection.size(); i++) {
                    String reason =
                            Rejection.at(i).name().toLowerCase(Locale.ROOT).replace('_', ' ');
                    if (i % 2 == 0) {
                        assertEquals(i + 1, value(reading, CounterType.INBOX_REJECTED, reason));
                    } else {
                        assertFalse(reading.entries().stream()
                                .anyMatch(entry -> entry.key().detail().equals(reason)));
                    }
                }
            });
        }
    }

    @Test
    void countersBelongToTheNodeOfTheirClient() {
        try (Rig rig = new Rig(Rig.shortTerms())) {
            rig.sender
                    .counters()
                    .node("worker 3")
                    .counter(CounterType.NODE_CLOCK)
                    .set(12);
            rig.sender.counters().agent("membership");
            Inbox inbox = rig.inbox("ipc", TAKE);
            rig.link(inbox);
            Rig.eventually(() -> {
                CounterReading reading = read(rig);
                assertEquals(
                        "worker 3", entryOf(reading, CounterType.LINK_STALLS).node());
                assertEquals(
                        "worker 3", entryOf(reading, CounterType.AGENT_WORK).node());
                assertEquals(
                        "test",
                        entryOf(reading, CounterType.INBOX_FRAMES_DEFERRED).node());
                assertEquals(12, entryOf(reading, CounterType.NODE_CLOCK).value());
            });
        }
    }
}
