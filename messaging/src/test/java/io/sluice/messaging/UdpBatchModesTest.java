package io.sluice.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.aeron.protocol.DataHeaderFlyweight;
import io.sluice.codecs.Drawn;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.counters.CounterReading;
import io.sluice.messaging.counters.CounterReading.Entry;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every mode delivers the same bytes, over IPv4 and IPv6, paced or not, whatever is lost on the way. */
@Timeout(120)
class UdpBatchModesTest {
    private static final int MTU = 1_408;
    private static final int FRAMES = 600;

    /** A frame of 48 datagrams, the last of which is shorter, and one that shares a datagram with others. */
    private static final int[] ELEMENTS = {16_320, 7, 3_000};

    private final Frames sent = new Frames();
    private final Frames expected = new Frames();
    private int next;

    @Drawn
    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "GSO, 127.0.0.1, 0, 0, false",
        "GSO, 127.0.0.1, 0.02, 0, false",
        "GSO, 127.0.0.1, 0.02, 400000000, false",
        "GSO, ::1, 0.02, 0, false",
        "MMSG, 127.0.0.1, 0.02, 0, false",
        "MMSG, ::1, 0, 400000000, false",
        "OFF, 127.0.0.1, 0.02, 0, false",
        "OFF, ::1, 0, 0, false",
        "GSO, 127.0.0.1, 0.02, 400000000, true",
        "GSO, ::1, 0, 0, true",
        "MMSG, 127.0.0.1, 0.02, 0, true",
        "OFF, 127.0.0.1, 0, 0, true"
    })
    void deliversTheSameBytes(UdpBatch mode, String host, double loss, long rate, boolean bell) {
        assumeTrue(isHere(host), "this machine has no " + host);
        Driver.Context context = new Driver.Context()
                .udpBatch(mode)
                .bell(bell)
                .receiveLoss(loss, 42)
                .egressRate(rate);
        try (Rig rig = new Rig(Rig.shortTerms().mtu(MTU), context)) {
            assertEquals(mode, rig.driver.udpBatch());
            Inbox inbox = rig.receiver.openUdpInbox(
                    "test", new Endpoint(host, 0), Rig.STREAM, Frames.validator(), this::check);
            Link link = rig.sender.openLink("test", rig.channels.bulkUdpTo(inbox.endpoint()), Rig.STREAM);
            link.awaitConnected(Rig.PATIENCE_NS, SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
            for (int i = 0; i < FRAMES; i++) {
                int length = sent.encode(i, ELEMENTS[i % ELEMENTS.length]);
                Rig.until(() -> link.offer(sent.buffer(), 0, length), () -> inbox.poll(16));
            }
            Rig.until(() -> next == FRAMES, () -> inbox.poll(16));
            assertEquals(0, inbox.rejections().total());
            assertEquals(List.of(), rig.errors);
            checkCounters(mode, loss, rig);
        }
    }

    private static boolean isHere(String host) {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private Action check(DirectBuffer buffer, int offset, int length, int template, int session) {
        assertEquals(expected.encode(next, ELEMENTS[next % ELEMENTS.length]), length);
        for (int i = 0; i < length; i += Integer.BYTES) {
            assertEquals(expected.buffer().getInt(i), buffer.getInt(offset + i), "frame " + next);
        }
        next++;
        return Action.CONTINUE;
    }

    private static void checkCounters(UdpBatch mode, double loss, Rig rig) {
        CounterReading reading = CounterReading.of(rig.sender.aeron().countersReader());
        Entry chosen = reading.entries().stream()
                .filter(entry -> entry.type() == CounterType.DRIVER_UDP_BATCH)
                .findFirst()
                .orElseThrow();
        assertEquals(mode.text(), chosen.key().detail());
        long datagrams = reading.sum(CounterType.DRIVER_DATAGRAMS_SENT);
        long sends = reading.sum(CounterType.DRIVER_SENDS);
        long received = reading.sum(CounterType.DRIVER_DATAGRAMS_RECEIVED);
        if (mode == UdpBatch.OFF) {
            assertEquals(0, datagrams, "Aeron sends, and does not count datagrams");
            return;
        }
        long least = FRAMES * (Frames.length(16_320) + Frames.length(3_000)) / ELEMENTS.length / MTU;
        assertTrue(datagrams >= least, () -> datagrams + " datagrams for at least " + least);
        assertTrue(received >= least && received <= datagrams, () -> received + " of " + datagrams + " received");
        if (loss == 0) { // what is sent twice is received twice
            long fragments = IntStream.range(0, FRAMES)
                    .map(i -> Frames.length(ELEMENTS[i % ELEMENTS.length]))
                    .mapToLong(length -> Math.ceilDiv(length, MTU - DataHeaderFlyweight.HEADER_LENGTH))
                    .sum();
            assertTrue(10 * datagrams <= 11 * fragments, () -> datagrams + " datagrams for " + fragments);
        }
        assertTrue(datagrams >= 4 * sends, () -> datagrams + " datagrams in " + sends + " sends");
        assertEquals(0, reading.sum(CounterType.DRIVER_RECEIVE_FAILURES));
    }

    @Test
    void theBestRungIsChosenOrTheReasonIsGiven() {
        try (Rig rig = new Rig(Rig.shortTerms(), new Driver.Context().udpBatch(UdpBatch.AUTO))) {
            boolean best = rig.driver.udpBatch() == UdpBatch.GSO;
            boolean warned = rig.driver.warnings().stream()
                    .anyMatch(warning -> warning.startsWith("UDP batching falls back to "));
            assertEquals(best, !warned, rig.driver.warnings().toString());
        }
    }
}
