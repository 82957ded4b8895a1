package io.sluice.codecs;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DeclarationDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.JoinDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.WelcomeDecoder;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Bytes made by someone who knows the format and computes the checksum. Each frame is looked at through a buffer that
 * ends where the frame does, so a read beyond it fails.
 */
class HostileFramesTest {
    private static final int ROOM = 512;
    private static final int[] TELLING = {0, 1, -1, 2, 3, 63, 64, 65, 255, 65535, 65536, 1 << 30, 0x7FFFFFFF, 0x80000000
    };

    private final FrameBuffer frame = new FrameBuffer(ROOM);
    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameValidator validator = new FrameValidator(FrameValidator.ANY_CLUSTER, checksum);
    private final DataFrameDecoder[] decoders = {
        new DataFrameDecoder(BlockFormat.MAX_ELEMENTS, BlockCompressors.named("lz4")),
        new DataFrameDecoder(128, BlockCompressors.named("snappy"))
    };
    private int accepted;

    @Test
    void mutatedFramesNeverThrow() {
        SampleFrame[] samples = SampleFrame.values();
        Property.holds(200_000, random -> {
            int length = samples[random.nextInt(samples.length)].encode(frame);
            if (random.nextInt(4) == 0) {
                length = random.nextInt(Math.max(0, length - 8), length + 9);
            }
            for (int i = random.nextInt(4); i >= 0; i--) {
                mutate(random, length);
            }
            judge(length);
        });
        assertTrue(accepted > 1000, "too few accepted to mean anything: " + accepted);
    }

    @Test
    void noiseNeverThrows() {
        Property.holds(50_000, random -> {
            int length = random.nextInt(ROOM + 1);
            for (int i = 0; i < length; i++) {
                frame.buffer().putByte(i, (byte) random.nextInt());
            }
            judge(length);
        });
        assertEquals(0, accepted);
    }

    @Test
    void compressedNoiseIsNotABlock() {
        Property.holds(20_000, random -> {
            int length = SampleFrame.DATA_BITMAP.encode(frame) - 1 - random.nextInt(27);
            int code = random.nextInt(1, 3);
            frame.buffer().putByte(Frame.HEADER_LENGTH + DataDecoder.compressorEncodingOffset(), (byte) code);
            int payloadLength = Frame.HEADER_LENGTH + DataDecoder.payloadLengthEncodingOffset();
            frame.buffer().putInt(payloadLength, length - Frame.DATA_LENGTH, LITTLE_ENDIAN);
            for (int i = Frame.DATA_LENGTH; i < length; i++) {
                frame.buffer().putByte(i, (byte) random.nextInt());
            }
            judge(length);
        });
    }

    private void mutate(SplittableRandom random, int length) {
        int at = random.nextInt(Math.max(1, length));
        switch (random.nextInt(4)) {
            case 0 -> frame.buffer().putByte(at, (byte) random.nextInt());
            case 1 -> frame.buffer().putByte(at, (byte) (frame.buffer().getByte(at) ^ 1 << random.nextInt(8)));
            case 2 -> frame.buffer().putShort(at, (short) TELLING[random.nextInt(TELLING.length)], LITTLE_ENDIAN);
            default -> frame.buffer().putInt(at & -4, TELLING[random.nextInt(TELLING.length)], LITTLE_ENDIAN);
        }
    }

    private void judge(int length) {
        if (length >= Frame.ENVELOPE_END) {
            checksum.seal(frame.buffer(), 0, length);
        }
        UnsafeBuffer exact = new UnsafeBuffer(frame.buffer(), 0, length);
        if (validator.validate(exact, 0, length) != null) {
            return;
        }
        accepted++;
        if (Frame.templateId(exact, 0) == DataDecoder.TEMPLATE_ID) {
            for (DataFrameDecoder decoder : decoders) {
                if (decoder.wrap(exact, 0, length) == null) {
                    assertNotNull(decoder.format());
                    assertTrue(decoder.count() <= decoder.elements());
                }
            }
        } else {
            assertEquals(length, readThrough(exact));
        }
    }

    /** Reads what follows the root by the generated decoders, which throw when they leave the buffer. */
    private static int readThrough(UnsafeBuffer buffer) {
        MessageHeaderDecoder header = new MessageHeaderDecoder();
        switch (Frame.templateId(buffer, 0)) {
            case DeclarationDecoder.TEMPLATE_ID -> {
                DeclarationDecoder declaration = new DeclarationDecoder().wrapAndApplyHeader(buffer, 0, header);
                declaration.name();
                return declaration.limit();
            }
            case JoinDecoder.TEMPLATE_ID -> {
                JoinDecoder join = new JoinDecoder().wrapAndApplyHeader(buffer, 0, header);
                join.endpoint();
                join.host();
                return join.limit();
            }
            case WelcomeDecoder.TEMPLATE_ID -> {
                WelcomeDecoder welcome = new WelcomeDecoder().wrapAndApplyHeader(buffer, 0, header);
                for (WelcomeDecoder.NodesDecoder node : welcome.nodes()) {
                    node.endpoint();
                    node.host();
                }
                welcome.consistency();
                return welcome.limit();
            }
            case ErrorDecoder.TEMPLATE_ID -> {
                ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, 0, header);
                error.message();
                return error.limit();
            }
            default -> {
                return Frame.HEADER_LENGTH + Frame.blockLength(buffer, 0);
            }
        }
    }
}
