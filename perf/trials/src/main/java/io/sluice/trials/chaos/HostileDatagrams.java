package io.sluice.trials.chaos;

import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import java.nio.ByteOrder;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Invalid datagrams: noise, headers of each of Aeron's frame types with random fields, and well-formed datagrams of
 * Sluice's streams with some bits flipped. Not thread-safe.
 *
 * <p>A valid SETUP is not among them. It would open a stream whose log the receiver's media driver keeps for some
 * seconds: that is Aeron's protocol, and a firewall has to prevent it.
 */
final class HostileDatagrams {
    /** Length of the payload of one Ethernet packet. */
    static final int LONGEST = 1_472;

    private static final int[] TYPES = {
        HeaderFlyweight.HDR_TYPE_PAD,
        HeaderFlyweight.HDR_TYPE_DATA,
        HeaderFlyweight.HDR_TYPE_NAK,
        HeaderFlyweight.HDR_TYPE_SM,
        HeaderFlyweight.HDR_TYPE_ERR,
        HeaderFlyweight.HDR_TYPE_SETUP,
        HeaderFlyweight.HDR_TYPE_RTTM,
        HeaderFlyweight.HDR_TYPE_RES,
        HeaderFlyweight.HDR_TYPE_RSP_SETUP,
        HeaderFlyweight.HDR_TYPE_EXT
    };

    private final Random random;
    private final int[] streams;
    private final byte[] noise = new byte[LONGEST];

    /**
     * Creates a generator.
     *
     * @param streams ids that the cluster uses
     */
    HostileDatagrams(Random random, int... streams) {
        this.random = random;
        this.streams = streams;
        random.nextBytes(noise);
    }

    /** Writes the next datagram to the start of a buffer of {@link #LONGEST} bytes and returns its length. */
    int next(UnsafeBuffer buffer) {
        int length = 1 + random.nextInt(random.nextInt(4) == 0 ? LONGEST : 160);
        int from = random.nextInt(LONGEST - length + 1);
        buffer.putBytes(0, noise, from, length);
        for (int i = 0; i + Integer.BYTES <= Math.min(length, DataHeaderFlyweight.HEADER_LENGTH); i += Integer.BYTES) {
            buffer.putInt(i, random.nextInt());
        }
        if (length >= DataHeaderFlyweight.HEADER_LENGTH && random.nextInt(4) > 0) {
            shape(buffer, length);
        }
        return length;
    }

    private void shape(UnsafeBuffer buffer, int length) {
        int type = TYPES[random.nextInt(TYPES.length)];
        buffer.putInt(HeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET, length, ByteOrder.LITTLE_ENDIAN);
        buffer.putByte(HeaderFlyweight.VERSION_FIELD_OFFSET, HeaderFlyweight.CURRENT_VERSION);
        buffer.putShort(HeaderFlyweight.TYPE_FIELD_OFFSET, (short) type, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(
                DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET,
                streams[random.nextInt(streams.length)],
                ByteOrder.LITTLE_ENDIAN);
        if (type == HeaderFlyweight.HDR_TYPE_SETUP) {
            buffer.putByte(HeaderFlyweight.VERSION_FIELD_OFFSET, (byte) (1 + random.nextInt(Byte.MAX_VALUE)));
        }
        for (int flips = random.nextInt(3); flips > 0; flips--) {
            int at = random.nextInt(length);
            if (type != HeaderFlyweight.HDR_TYPE_SETUP || at != HeaderFlyweight.VERSION_FIELD_OFFSET) {
                buffer.putByte(at, (byte) (buffer.getByte(at) ^ 1 << random.nextInt(Byte.SIZE)));
            }
        }
    }
}
