package io.sluice.messaging.udp;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.NetworkPublication;
import io.aeron.driver.media.SendChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.RttMeasurementFlyweight;
import java.nio.ByteBuffer;
import org.agrona.collections.Hashing;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.status.AtomicCounter;

/**
 * States in the reply of a round trip how long its request has waited on the path and for this thread, in the field
 * that Aeron has for the time between request and reply.
 */
class AnsweringSendEndpoint extends SendChannelEndpoint {
    private final NanoClock clock;
    private final Long2ObjectHashMap<RequestDelay> delays = new Long2ObjectHashMap<>();
    private final RttMeasurementFlyweight answer = new RttMeasurementFlyweight();

    /** Creates the endpoint of a channel. */
    AnsweringSendEndpoint(UdpChannel channel, AtomicCounter status, MediaDriver.Context context) {
        super(channel, status, context);
        clock = context.nanoClock();
    }

    @Override
    public void registerForSend(NetworkPublication publication) {
        super.registerForSend(publication);
        delays.put(Hashing.compoundKey(publication.sessionId(), publication.streamId()), new RequestDelay());
    }

    @Override
    public void unregisterForSend(NetworkPublication publication) {
        super.unregisterForSend(publication);
        delays.remove(Hashing.compoundKey(publication.sessionId(), publication.streamId()));
    }

    @Override
    public int send(ByteBuffer buffer) {
        if (buffer.remaining() == RttMeasurementFlyweight.HEADER_LENGTH) {
            answer.wrap(buffer, buffer.position(), RttMeasurementFlyweight.HEADER_LENGTH);
            if (answer.headerType() == HeaderFlyweight.HDR_TYPE_RTTM) {
                state(answer);
            }
        }
        return super.send(buffer);
    }

    private void state(RttMeasurementFlyweight frame) {
        RequestDelay delay = delays.get(Hashing.compoundKey(frame.sessionId(), frame.streamId()));
        if (delay != null) {
            long now = clock.nanoTime();
            frame.receptionDelta(delay.of(frame.receiverId(), now - frame.echoTimestampNs(), now));
        }
    }
}
