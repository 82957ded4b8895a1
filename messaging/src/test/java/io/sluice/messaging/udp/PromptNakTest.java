package io.sluice.messaging.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.aeron.AeronCounters;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.NakFlyweight;
import io.sluice.messaging.driver.Driver.UdpBatch;
import java.net.InetSocketAddress;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A receiver misses the last datagram of a batch, and reports that before the next duty cycle of the sender. */
@EnabledOnOs(OS.LINUX)
@Timeout(180)
class PromptNakTest {
    private static final int LENGTH = 60_000;
    private static final int HEADER = 64;
    private static final int CONTROL = 32;
    private static final int CONTROL_SIZE = 40;

    private final NakFlyweight nak = new NakFlyweight(new UnsafeBuffer(new byte[NakFlyweight.HEADER_LENGTH]));
    private Loopback loopback;
    private boolean isMissed;

    /** The receiver, which this thread runs next, misses the last datagram of the first train. */
    private final class Prompt extends Kernel {
        @Override
        public int send(int descriptor, long headers, int count) {
            int sent = super.send(descriptor, headers, count);
            UnsafeBuffer header = new UnsafeBuffer(headers, HEADER);
            if (sent > 0 && header.getLong(CONTROL_SIZE) > 0 && nak.length() == 0) {
                UnsafeBuffer part = new UnsafeBuffer(header.getLong(16), 16);
                int segment = Short.toUnsignedInt(new UnsafeBuffer(header.getLong(CONTROL), 18).getShort(16));
                int length = (int) part.getLong(8);
                int last = (length - 1) / segment * segment;
                DataHeaderFlyweight datagram =
                        new DataHeaderFlyweight(new UnsafeBuffer(part.getLong(0) + last, length - last));
                nak.sessionId(datagram.sessionId())
                        .streamId(datagram.streamId())
                        .termId(datagram.termId())
                        .termOffset(datagram.termOffset())
                        .length(length - last);
                isMissed = true;
            }
            return sent;
        }

        @Override
        public int receive(int descriptor, long headers, int count) {
            if (isMissed) {
                isMissed = false;
                loopback.endpoint().onNakMessage(nak, nak, nak.capacity(), new InetSocketAddress("127.0.0.1", 1));
                assertEquals(1, loopback.value(AeronCounters.SYSTEM_COUNTER_ID_RETRANSMITS_SENT));
            }
            return super.receive(descriptor, headers, count);
        }
    }

    @Test
    void theDatagramIsSentAgain() {
        try (Loopback stream = new Loopback(UdpBatch.GSO, Prompt::new)) {
            loopback = stream;
            stream.exchange(2, LENGTH);
            assertEquals(1, stream.value(AeronCounters.SYSTEM_COUNTER_ID_NAK_MESSAGES_RECEIVED));
            assertEquals(1, stream.value(AeronCounters.SYSTEM_COUNTER_ID_RETRANSMITS_SENT));
            assertEquals(0, stream.errors.size(), stream.errors.toString());
        }
    }
}
