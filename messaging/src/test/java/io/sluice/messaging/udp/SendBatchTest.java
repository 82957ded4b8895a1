package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.messaging.udp.FakeSockets.Message;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which datagrams travel together, and what ends a train. */
class SendBatchTest {
    private static final int MTU = 1_408;
    private static final long UNLIMITED = Long.MAX_VALUE;

    private final FakeSockets calls = new FakeSockets();
    private final SendBatch batch = new SendBatch();
    private final Term term = new Term();

    private List<String> collected(int first, long window, boolean trains) {
        return collected(0, first, window, MTU, trains);
    }

    /** The messages as {@code offset+length/segment}. */
    private List<String> collected(int offset, int first, long window, int mtu, boolean trains) {
        calls.sends.clear();
        batch.collect(term.buffer, offset, first, window, mtu, trains);
        assertEquals(batch.messages(), batch.send(calls, 7));
        return calls.sends.getFirst().stream().map(this::text).toList();
    }

    private String text(Message message) {
        return message.from() - term.buffer.addressOffset() + "+" + message.length() + "/" + message.segment();
    }

    @Test
    void equalDatagramsAreATrainAndAShorterOneEndsIt() {
        term.frames(3, MTU).frames(1, 480).frames(2, MTU);
        assertEquals(List.of("0+4704/1408", "4704+2816/1408"), collected(MTU, UNLIMITED, true));
        assertEquals(6, batch.datagrams(2));
        assertEquals(4_704, batch.end(0));
        assertEquals(7_520, batch.end(1));
        assertEquals(MTU, batch.firstEnd());
    }

    @Test
    void aLongerDatagramBeginsAnother() {
        term.frames(1, 960).frames(2, MTU);
        assertEquals(List.of("0+960/0", "960+2816/1408"), collected(960, UNLIMITED, true));
    }

    @Test
    void shortFramesShareADatagramAsAeronPacksThem() {
        term.frames(8, 352); // four to a datagram
        assertEquals(List.of("0+2816/1408"), collected(MTU, UNLIMITED, true));
    }

    @Test
    void theFirstDatagramIsTheOneThatAeronHasCut() {
        term.frames(1, 352).frames(7, 352);
        assertEquals(List.of("0+352/0", "352+2464/1408"), collected(352, UNLIMITED, true));
        assertEquals(352, batch.firstEnd());
    }

    @Test
    void aTrainHas64DatagramsAtMost() {
        term.frames(70, 96);
        assertEquals(List.of("0+6144/96", "6144+576/96"), collected(0, 96, UNLIMITED, 96, true));
    }

    @Test
    void aTrainIsShorterThan64KiB() {
        term.frames(60, MTU);
        assertEquals(List.of("0+64768/1408", "64768+19712/1408"), collected(MTU, UNLIMITED, true));
        assertTrue(64_768 + MTU > SendBatch.MAX_TRAIN);
    }

    @Test
    void aPublicationHasATurn() {
        term.frames(400, MTU);
        collected(MTU, UNLIMITED, true);
        int last = batch.end(batch.messages() - 1);
        assertTrue(last >= SendBatch.TURN && last < SendBatch.TURN + MTU, "turn of " + last);
    }

    @Test
    void whatIsNotCommittedEndsTheBatch() {
        term.frames(2, MTU).at(3 * MTU).frames(1, MTU);
        assertEquals(List.of("0+2816/1408"), collected(MTU, UNLIMITED, true));
    }

    @Test
    void flowControlEndsTheBatch() {
        term.frames(5, MTU);
        assertEquals(List.of("0+2816/1408"), collected(MTU, 3 * MTU - 1, true));
        assertEquals(List.of("0+1408/0"), collected(MTU, MTU, true));
        assertTrue(batch.isSingle());
    }

    @Test
    void ofPaddingOnlyTheHeaderTravelsAndWhatFollowsIsAnotherMessage() {
        term.frames(2, MTU).padding(960).frames(2, MTU);
        assertEquals(List.of("0+2848/1408", "3776+2816/1408"), collected(MTU, UNLIMITED, true));
        assertEquals(3_776, batch.end(0));
    }

    @Test
    void theTermEndsTheBatch() {
        int offset = Term.LENGTH - 2 * MTU - 320;
        term.at(offset).frames(2, MTU).padding(320);
        assertEquals(List.of(offset + "+2848/1408"), collected(offset, MTU, UNLIMITED, MTU, true));
        assertEquals(Term.LENGTH - offset, batch.end(0));
    }

    @Test
    void withoutTrainsEachDatagramIsAMessage() {
        term.frames(3, MTU).frames(1, 480).frames(2, MTU);
        assertEquals(
                List.of("0+1408/0", "1408+1408/0", "2816+1408/0", "4224+480/0", "4704+1408/0", "6112+1408/0"),
                collected(MTU, UNLIMITED, false));
        term.at(0).frames(100, 96);
        assertEquals(Collections.nCopies(SendBatch.MAX_MESSAGES, 96L), collectedLengths());
    }

    private List<Long> collectedLengths() {
        collected(0, 96, UNLIMITED, 96, false);
        return calls.sends.getFirst().stream().map(Message::length).toList();
    }

    @Test
    void anInterruptedCallIsRepeated() {
        term.frames(2, MTU);
        calls.answers.add(-SocketCalls.EINTR);
        batch.collect(term.buffer, 0, MTU, UNLIMITED, MTU, true);
        assertEquals(1, batch.send(calls, 7));
        assertEquals(2, calls.sends.size());
    }
}
