package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.MediaDriver;
import io.sluice.messaging.counters.CounterType;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.status.UnsafeBufferPosition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reaction of a sender to the kernel's answers, and the counts of Aeron. */
class BatchSenderTest {
    private static final int MTU = 1_408;
    private static final int FRAMES = 10;
    private static final int ENOBUFS = 105;
    private static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 9);

    /** In the third term, so that positions are not offsets. */
    private static final long START = 2L * Term.LENGTH;

    private final FakeSockets calls = new FakeSockets();
    private final CountersOfADriver counters = new CountersOfADriver();
    private final List<String> errors = new ArrayList<>();
    private final SenderTurns turns =
            new SenderTurns(new MediaDriver.Context().errorHandler(error -> errors.add(error.getMessage())));
    private final SenderResources shared = new SenderResources(calls, turns, counters.udp);
    private final Term term = new Term().frames(FRAMES, MTU);
    private final UnsafeBufferPosition position = counters.position(START);
    private final PublicationPosition publication =
            new PublicationPosition(position, counters.position(START + Term.LENGTH));
    private final BatchSender sender = new BatchSender(shared, 7, true, error -> errors.add(error.getMessage()));

    @BeforeEach
    void learnTheMtu() {
        publication.mtu(MTU);
    }

    private int send() {
        return sender.send(publication, term.buffer, 0, MTU, PEER);
    }

    @Test
    void aeronCountsTheFirstDatagramAndCatchesUpLater() {
        assertEquals(MTU, send());
        assertEquals(START, position.get(), "Aeron counts by itself");
        position.set(START + MTU);
        assertEquals((FRAMES - 1) * MTU, publication.catchUp());
        assertEquals(START + FRAMES * MTU, position.get());
        assertEquals(FRAMES, counters.value(CounterType.DRIVER_DATAGRAMS_SENT));
        assertEquals(1, counters.value(CounterType.DRIVER_SENDS));
    }

    @Test
    void unexpectedPositionIsNotOverwritten() {
        assertEquals(MTU, send());
        position.set(START + 5 * MTU);
        turns.catchUp();
        assertEquals(START + 5 * MTU, position.get());
        assertEquals(1, counters.value(CounterType.DRIVER_SEND_FAILURES, "unexpected position"));
        assertEquals(1, errors.size());
        assertTrue(errors.getFirst().startsWith("WARN - the position of a publication is not"), errors.getFirst());
        send();
        turns.catchUp();
        assertEquals(2, counters.value(CounterType.DRIVER_SEND_FAILURES, "unexpected position"));
        assertEquals(1, errors.size());
    }

    @Test
    void aSingleDatagramIsLeftToAeron() {
        Term one = new Term().frames(1, MTU);
        assertEquals(BatchSender.SINGLE, sender.send(publication, one.buffer, 0, MTU, PEER));
        assertTrue(calls.sends.isEmpty());
    }

    @Test
    void aFullSocketIsOfferedTheSameAgain() {
        calls.answers.add(-SocketCalls.EAGAIN);
        assertEquals(0, send(), "Aeron counts nothing, and sends nothing else of the stream before");
        assertEquals(MTU, send());
        assertEquals(calls.sends.get(0), calls.sends.get(1));
        assertEquals(1, counters.value(CounterType.DRIVER_SEND_FAILURES, "socket full"));
        assertEquals(List.of(), errors);
    }

    @Test
    void ofABatchSentInPartThatPartCounts() {
        Term mixed = new Term().frames(2, MTU).frames(1, 480).frames(3, MTU);
        calls.answers.add(1);
        assertEquals(MTU, sender.send(publication, mixed.buffer, 0, MTU, PEER));
        position.set(START + MTU);
        publication.catchUp();
        assertEquals(START + 2 * MTU + 480, position.get());
        assertEquals(3, counters.value(CounterType.DRIVER_DATAGRAMS_SENT));
        assertEquals(1, counters.value(CounterType.DRIVER_SEND_FAILURES, "sent in part"));
    }

    @ParameterizedTest
    @ValueSource(ints = {SocketCalls.EIO, SocketCalls.EINVAL, SocketCalls.EMSGSIZE})
    void aRefusedTrainIsSentAsDatagramsAndSoIsAllThatFollows(int error) {
        calls.answers.add(-error);
        assertEquals(MTU, send());
        assertEquals(1, calls.sends.get(0).size());
        assertEquals(FRAMES, calls.sends.get(1).size());
        assertEquals(MTU, send());
        assertEquals(FRAMES, calls.sends.get(2).size());
        assertEquals(1, counters.value(CounterType.DRIVER_SEND_FAILURES, "train refused"));
        assertEquals(
                List.of("WARN - the path to " + PEER + " does not support UDP_SEGMENT (error " + error
                        + "): the driver sends it datagrams one by one"),
                errors);
    }

    @Test
    void aSecondPathThatRefusesIsCountedAndNotReported() {
        calls.answers.addAll(List.of(-SocketCalls.EIO, FakeSockets.ALL, -SocketCalls.EIO));
        send();
        new BatchSender(shared, 8, true, error -> errors.add(error.getMessage()))
                .send(publication, term.buffer, 0, MTU, PEER);
        assertEquals(2, counters.value(CounterType.DRIVER_SEND_FAILURES, "train refused"));
        assertEquals(1, errors.size());
    }

    @Test
    void refusedDatagramsDoNotEndTheTrains() {
        Term mixed = new Term().frames(1, 480).frames(3, MTU);
        calls.answers.add(-SocketCalls.EMSGSIZE);
        assertEquals(0, sender.send(publication, mixed.buffer, 0, 480, PEER));
        assertEquals(1, calls.sends.size(), "the first message is not a train: Aeron tries again");
        assertEquals(1, errors.size());
        assertEquals(MTU, send());
        assertEquals(1, calls.sends.getLast().size());
    }

    @Test
    void aPeerThatIsNotThereIsNotReported() {
        calls.answers.add(-SocketCalls.ECONNREFUSED);
        assertEquals(0, send());
        assertEquals(List.of(), errors);
        assertEquals(1, counters.value(CounterType.DRIVER_SEND_FAILURES, "other"));
    }

    @Test
    void otherFailuresAreReportedAsAeronReportsThem() {
        calls.answers.add(-ENOBUFS);
        assertEquals(0, send());
        assertEquals(1, errors.size());
        assertTrue(errors.getFirst().contains("failed to send datagram to " + PEER), errors.getFirst());
        assertTrue(errors.getFirst().contains("error 105 of sendmmsg"), errors.getFirst());
    }

    @Test
    void onlyTheNextDataOfAPublicationIsBatched() {
        assertTrue(publication.isNext(0, Term.LENGTH));
        assertFalse(publication.isNext(MTU, Term.LENGTH), "sent again");
        assertFalse(publication.isNext(0, 32), "a heartbeat, whose buffer is not a term");
        assertFalse(new PublicationPosition(position, position).isNext(0, Term.LENGTH), "its MTU is not known");
    }
}
