package io.sluice.trials.chaos;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Invalid Sluice frames: noise after a valid header, recorded frames with flipped bits or a missing end, such frames
 * with a corrected checksum, and replayed frames. The last two kinds are for sealed frames only: without seals a forged
 * frame with a correct checksum is indistinguishable from a valid one. Not thread-safe.
 */
final class HostileFrames {
    static final int LONGEST = 1_344;

    private static final int TEMPLATES = 24;
    private static final int WAYS = 4;
    private static final int MOST_FLIPS = 8;

    private final Random random;
    private final List<byte[]> overheard;
    private final boolean sealed;
    private final FrameChecksum checksum = new FrameChecksum();

    /**
     * Creates a generator.
     *
     * @param overheard valid frames; may be empty
     * @param sealed whether the cluster's frames are sealed
     */
    HostileFrames(Random random, List<byte[]> overheard, boolean sealed) {
        this.random = random;
        this.overheard = overheard;
        this.sealed = sealed;
    }

    /** Writes the next frame to the start of a buffer of {@link #LONGEST} bytes and returns its length. */
    int next(UnsafeBuffer buffer) {
        int way = overheard.isEmpty() ? 0 : random.nextInt(sealed ? WAYS : WAYS - 2);
        if (way == 0) {
            return noise(buffer);
        }
        byte[] frame = overheard.get(random.nextInt(overheard.size()));
        buffer.putBytes(0, frame);
        return switch (way) {
            case 1 -> damaged(buffer, frame.length);
            case 2 -> forged(buffer, frame.length);
            default -> frame.length;
        };
    }

    private int noise(UnsafeBuffer buffer) {
        int length = 1 + random.nextInt(random.nextInt(8) == 0 ? LONGEST : 200);
        for (int i = 0; i < length; i += Integer.BYTES) {
            buffer.putInt(i, random.nextInt());
        }
        if (length > Frame.HEADER_LENGTH && random.nextBoolean()) {
            buffer.putShort(Frame.TEMPLATE_ID_OFFSET, (short) random.nextInt(TEMPLATES), ByteOrder.LITTLE_ENDIAN);
            buffer.putShort(Frame.SCHEMA_ID_OFFSET, (short) Frame.SCHEMA_ID, ByteOrder.LITTLE_ENDIAN);
            buffer.putShort(Frame.VERSION_OFFSET, (short) Frame.SCHEMA_VERSION, ByteOrder.LITTLE_ENDIAN);
        }
        return length;
    }

    private int damaged(UnsafeBuffer buffer, int length) {
        if (random.nextInt(WAYS) == 0) {
            return 1 + random.nextInt(length - 1);
        }
        flip(buffer, length);
        return length;
    }

    private int forged(UnsafeBuffer buffer, int length) {
        flip(buffer, length);
        if (length >= Frame.ENVELOPE_END) {
            buffer.putInt(Frame.CHECKSUM_OFFSET, checksum.compute(buffer, 0, length), ByteOrder.LITTLE_ENDIAN);
        }
        return length;
    }

    /** Flips up to eight bits in consecutive bytes. */
    private void flip(UnsafeBuffer buffer, int length) {
        int at = random.nextInt(length);
        for (int flips = 1 + random.nextInt(MOST_FLIPS); flips > 0; flips--) {
            buffer.putByte(at, (byte) (buffer.getByte(at) ^ 1 << random.nextInt(Byte.SIZE)));
            at = (at + 1) % length;
        }
    }
}
