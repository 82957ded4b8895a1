package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.FlowControl;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.StatusMessageFlyweight;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.agrona.concurrent.CachedNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.api.Test;

/** What is sent again, and when. */
final class ResendsTest {
    private static final int TERM = 4 << 20;
    private static final int MTU = 1_408;
    private static final int WINDOW = 16 << 10;
    private static final int VALUES = 64 << 10;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Resends resends = new Resends();

    private int admit(long position, int length, long ms) {
        return resends.admit(position, length, WINDOW, MTU, ms * MS);
    }

    @Test
    void aGapIsSentAgainAtOnceAndThenLessAndLessOften() {
        int copies = 0;
        for (int ms = 0; ms < 1_000; ms += 5) {
            copies += admit(0, 8 * MTU, ms) > 0 ? 1 : 0;
        }
        assertEquals(6, copies); // at 0, 20, 60, 140, 300 and 620 ms
    }

    @Test
    void whatIsOnItsWayIsNotSentAgainWhileTheFirstOfItArrives() {
        assertEquals(8 * MTU, admit(0, 8 * MTU, 0));
        for (int i = 1; i < 8; i++) {
            assertEquals(0, admit(i * MTU, (8 - i) * MTU, 10 + i));
        }
        assertEquals(MTU, admit(20 * MTU, MTU, 18));
    }

    @Test
    void aGapBehindIsSentAgainAtOnce() {
        assertEquals(MTU, admit(0, MTU, 0));
        assertEquals(MTU, admit(2 * MTU, MTU, 0));
        assertEquals(MTU, admit(4 * MTU, MTU, 1));
    }

    /** Aeron sends whole datagrams only, so the last one of a part is asked for at once and must not be refused. */
    @Test
    void aLongGapIsSentAgainInParts() {
        assertEquals(WINDOW, admit(0, 1 << 20, 0));
        long sent = WINDOW / MTU * MTU;
        assertEquals(0, admit(sent - MTU, 1 << 20, 4));
        assertEquals(WINDOW, admit(sent, 1 << 20, 5));
    }

    @Test
    void theWaitFollowsTheTimeThatAnswersTake() {
        for (int i = 0; i < 20; i++) {
            admit(i * MTU, MTU, 40 * i);
            resends.onComplete((i + 1) * MTU, (40 * i + 30) * MS);
        }
        assertEquals(MTU, admit(20 * MTU, MTU, 1_000));
        assertEquals(0, admit(20 * MTU, MTU, 1_055));
        assertEquals(MTU, admit(20 * MTU, MTU, 1_065));
        // the answer that arrives now may be the first or the second, so it states no time
        resends.onComplete(21 * MTU, 1_066 * MS);
        assertEquals(MTU, admit(21 * MTU, MTU, 2_000));
        assertEquals(0, admit(21 * MTU, MTU, 2_055));
    }

    /** The flow control knows positions of terms only, and the receiver's last window. */
    @Test
    void aPublicationWithoutARateIsBounded() {
        CountersManager counters = new CountersManager(memory(4 * VALUES), memory(VALUES));
        MediaDriver.Context context = new MediaDriver.Context().senderCachedNanoClock(new CachedNanoClock());
        UdpChannel channel = UdpChannel.parse("aeron:udp?endpoint=127.0.0.1:9|mtu=" + MTU);
        FlowControl flow = new LinkFlowControls(0, false).newInstance(channel, 1, 1);
        flow.initialize(context, counters, channel, 1, 1, 1, 0, TERM);
        StatusMessageFlyweight status = new StatusMessageFlyweight(memory(StatusMessageFlyweight.HEADER_LENGTH));
        status.consumptionTermId(1).consumptionTermOffset(TERM - MTU).receiverWindowLength(WINDOW);
        flow.onStatusMessage(status, null, 0, 0, Integer.numberOfTrailingZeros(TERM), 0);
        assertEquals(MTU, flow.maxRetransmissionLength(TERM - MTU, 1 << 20, TERM, MTU));
        assertEquals(0, flow.maxRetransmissionLength(TERM - MTU, 1 << 20, TERM, MTU));
        assertEquals(WINDOW, flow.maxRetransmissionLength(0, 1 << 20, TERM, MTU));
        flow.close();

        FlowControl known = new LinkFlowControls(1_000_000_000, false).newInstance(channel, 1, 2);
        known.initialize(context, counters, channel, 1, 1, 2, 0, TERM);
        assertTrue(known.maxRetransmissionLength(0, 1 << 20, TERM, MTU) == 1 << 20);
        known.close();
    }

    private static UnsafeBuffer memory(int length) {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, 64));
    }
}
