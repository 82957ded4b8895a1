package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.sbe.DataDecoder;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Creates bad frames from valid ones: flipped bits, boundary values, spliced and cut bytes. Mostly it corrects lengths
 * and checksum afterwards, as an attacker who knows the format would, so that the inner checks are reached.
 */
final class FrameMutator {
    private static final int ROOM = 2 * FrameCorpus.MAX_LENGTH;
    private static final int[] TELLING = {
        0,
        1,
        2,
        3,
        4,
        5,
        8,
        9,
        16,
        17,
        31,
        32,
        33,
        63,
        64,
        65,
        127,
        128,
        255,
        256,
        1000,
        32_767,
        32_768,
        65_535,
        65_536,
        65_537,
        1 << 29,
        1 << 30,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        -1,
        -64
    };
    private static final int ROOT = Frame.HEADER_LENGTH;
    private static final int[] INT_FIELDS = {
        ROOT + DataDecoder.elementsEncodingOffset(),
        ROOT + DataDecoder.countEncodingOffset(),
        ROOT + DataDecoder.rawLengthEncodingOffset(),
        ROOT + DataDecoder.payloadLengthEncodingOffset()
    };
    private static final int[] CODES = {
        ROOT + DataDecoder.formatEncodingOffset(),
        ROOT + DataDecoder.valueTypeEncodingOffset(),
        ROOT + DataDecoder.compressorEncodingOffset()
    };

    private final List<byte[]> corpus = FrameCorpus.all();
    private final byte[] bytes = new byte[ROOM];
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final FrameChecksum checksum = new FrameChecksum();
    private int length;

    /** The latest mutant; its length is what {@link #mutate} returned. */
    byte[] bytes() {
        return bytes;
    }

    /** Creates another mutant, and returns its length. */
    int mutate(SplittableRandom random) {
        byte[] base = any(random);
        length = base.length;
        System.arraycopy(base, 0, bytes, 0, length);
        for (int edits = random.nextInt(1, 5); edits > 0; edits--) {
            edit(random);
        }
        if (random.nextInt(4) > 0) {
            mendLengths();
        }
        if (random.nextInt(8) > 0) {
            writeChecksum();
        }
        return length;
    }

    private void edit(SplittableRandom random) {
        int at = random.nextInt(Math.max(1, length));
        int behindRoot = length > Frame.DATA_LENGTH ? random.nextInt(Frame.DATA_LENGTH, length) : at;
        switch (random.nextInt(9)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[behindRoot] ^= (byte) (1 << random.nextInt(8));
            case 2 -> bytes[behindRoot] = (byte) telling(random);
            case 3 -> buffer.putShort(at, (short) telling(random), LITTLE_ENDIAN);
            case 4 -> buffer.putInt(INT_FIELDS[random.nextInt(INT_FIELDS.length)], telling(random), LITTLE_ENDIAN);
            case 5 -> bytes[CODES[random.nextInt(CODES.length)]] = (byte) random.nextInt(8);
            case 6 -> splice(random, behindRoot);
            case 7 -> length = random.nextInt(length + 1);
            default -> grow(random);
        }
    }

    /** Overwrites the bytes from an offset on with the end of another frame. */
    private void splice(SplittableRandom random, int at) {
        byte[] other = any(random);
        int from = random.nextInt(other.length);
        System.arraycopy(other, from, bytes, at, other.length - from);
        length = at + other.length - from;
    }

    private void grow(SplittableRandom random) {
        int end = Math.min(FrameCorpus.MAX_LENGTH, length + random.nextInt(1, 65));
        boolean zeros = random.nextBoolean();
        while (length < end) {
            bytes[length++] = zeros ? 0 : (byte) random.nextInt();
        }
    }

    /** Corrects the lengths in a data frame after its length has changed. */
    void mendLengths() {
        if (length < Frame.DATA_LENGTH || Frame.templateId(buffer, 0) != DataDecoder.TEMPLATE_ID) {
            return;
        }
        int payload = length - Frame.DATA_LENGTH;
        buffer.putInt(ROOT + DataDecoder.payloadLengthEncodingOffset(), payload, LITTLE_ENDIAN);
        if (bytes[ROOT + DataDecoder.compressorEncodingOffset()] == NoCompressor.CODE) {
            buffer.putInt(ROOT + DataDecoder.rawLengthEncodingOffset(), payload, LITTLE_ENDIAN);
        }
    }

    void writeChecksum() {
        if (length >= Frame.ENVELOPE_END) {
            checksum.write(buffer, 0, length);
        }
    }

    /** Keeps the first bytes of a frame, and corrects length and checksum. */
    void cut(byte[] frame, int newLength) {
        length = newLength;
        System.arraycopy(frame, 0, bytes, 0, newLength);
    }

    private byte[] any(SplittableRandom random) {
        return corpus.get(random.nextInt(corpus.size()));
    }

    private static int telling(SplittableRandom random) {
        return random.nextInt(3) == 0 ? random.nextInt() : TELLING[random.nextInt(TELLING.length)];
    }
}
