package io.sluice.messaging.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.driver.FlowControl;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.StatusMessageFlyweight;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.api.Test;

/** What is sent again. */
final class LinkFlowControlTest {
    private static final int TERM = 4 << 20;
    private static final int MTU = 1_408;
    private static final int VALUES = 64 << 10;

    private final CountersManager counters = new CountersManager(memory(4 * VALUES), memory(VALUES));

    private static UnsafeBuffer memory(int length) {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, 64));
    }

    @Test
    void aLongGapIsSentAgainInPartsOfTheWindow() {
        UdpChannel channel = UdpChannel.parse("aeron:udp?endpoint=127.0.0.1:9|mtu=" + MTU);
        FlowControl flow = new LinkFlowControls(0, false, true).newInstance(channel, 1, 1);
        flow.initialize(new MediaDriver.Context(), counters, channel, 1, 1, 1, 0, TERM);
        assertEquals(MTU, flow.maxRetransmissionLength(0, 1 << 20, TERM, MTU));
        StatusMessageFlyweight status = new StatusMessageFlyweight(memory(StatusMessageFlyweight.HEADER_LENGTH));
        status.consumptionTermId(0).consumptionTermOffset(0).receiverWindowLength(64 << 10);
        flow.onStatusMessage(status, null, 0, 0, Integer.numberOfTrailingZeros(TERM), 0);
        assertEquals(16 << 10, flow.maxRetransmissionLength(0, 1 << 20, TERM, MTU));
        assertEquals(MTU, flow.maxRetransmissionLength(0, MTU, TERM, MTU));
        assertEquals(4_096, flow.maxRetransmissionLength(TERM - 4_096, 4_096, TERM, MTU));
    }
}
