package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The wire format to the byte. The literals were made from docs/protocol.md by a program that shares no code with this
 * library; if one of them has to change, so must the schema version.
 */
class GoldenFramesTest {
    private static final String DATA_DENSE = """
        38 00 01 00 c5 14 01 00 88 77 66 55 44 33 22 11
        eb 42 22 fc 03 00 00 00 02 00 07 00 09 00 00 00
        0b 00 00 00 00 00 00 00 0d 00 00 00 03 00 00 00
        03 00 00 00 0c 00 00 00 0c 00 00 00 01 01 00 00
        00 00 80 3f 00 00 00 c0 00 00 00 3f
        """;

    private static final String DATA_BITMAP = """
        38 00 01 00 c5 14 01 00 88 77 66 55 44 33 22 11
        65 f5 d1 ee 03 00 00 00 02 00 07 00 09 00 00 00
        0b 00 00 00 00 00 00 00 0d 00 00 00 46 00 00 00
        03 00 00 00 1c 00 00 00 1c 00 00 00 02 01 00 00
        02 00 00 00 00 00 00 80 20 00 00 00 00 00 00 00
        00 00 80 3f 00 00 00 c0 00 00 00 3f
        """;

    private static final String DATA_INDEX = """
        38 00 01 00 c5 14 01 00 88 77 66 55 44 33 22 11
        da e5 4f f7 03 00 00 00 02 00 07 00 09 00 00 00
        0b 00 00 00 00 00 00 00 0d 00 00 00 46 00 00 00
        03 00 00 00 14 00 00 00 14 00 00 00 03 01 00 00
        01 00 3f 00 45 00 00 00 00 00 80 3f 00 00 00 c0
        00 00 00 3f
        """;

    private static final String DATA_EMPTY = """
        38 00 01 00 c5 14 01 00 88 77 66 55 44 33 22 11
        af 31 c7 d0 03 00 00 00 02 00 07 00 09 00 00 00
        0b 00 00 00 00 00 00 00 0d 00 00 00 46 00 00 00
        00 00 00 00 00 00 00 00 00 00 00 00 03 01 00 00
        """;

    private static final String MARK = """
        24 00 02 00 c5 14 01 00 88 77 66 55 44 33 22 11
        c4 87 c8 c4 03 00 00 00 02 00 07 00 04 00 00 00
        0b 00 00 00 00 00 00 00 fe ca ad 0b
        """;

    private static final String DECLARATION = """
        22 00 03 00 c5 14 01 00 88 77 66 55 44 33 22 11
        f4 24 85 f6 03 00 00 00 02 00 07 00 10 03 00 00
        0a 00 00 00 00 10 00 00 02 00 07 00 77 65 69 67
        68 74 73
        """;

    private static final String PULL = """
        1c 00 04 00 c5 14 01 00 88 77 66 55 44 33 22 11
        ff 94 89 b1 03 00 00 00 02 00 07 00 0b 00 00 00
        00 00 00 00
        """;

    private static final String JOIN = """
        1f 00 0a 00 c5 14 01 00 88 77 66 55 44 33 22 11
        10 44 e6 2f 03 00 00 00 02 00 01 ff ff ff ff 08
        07 06 05 04 03 02 01 0e 00 31 30 2e 30 2e 30 2e
        32 3a 34 30 31 30 30 06 00 68 6f 73 74 2d 62
        """;

    private static final String WELCOME = """
        39 00 0b 00 c5 14 01 00 88 77 66 55 44 33 22 11
        8b 8f 9b e1 03 00 00 00 02 00 02 00 08 07 06 05
        04 03 02 01 01 00 02 00 01 01 02 01 00 7b 14 ae
        47 e1 7a 84 3f 00 40 00 00 f4 01 00 00 d0 07 00
        00 02 00 02 00 00 00 03 00 61 3a 31 01 00 68 02
        00 03 00 62 3a 32 00 00 05 00 73 73 70 3a 33
        """;

    private static final String HEARTBEAT = """
        1a 00 0c 00 c5 14 01 00 88 77 66 55 44 33 22 11
        85 5a 5c e5 03 00 00 00 02 00 0b 00 00 00 00 00
        00 00
        """;

    private static final String LEAVE = """
        1c 00 0d 00 c5 14 01 00 88 77 66 55 44 33 22 11
        9c d3 d3 e1 03 00 00 00 02 00 02 00 0b 00 00 00
        00 00 00 00
        """;

    private static final String ERROR = """
        20 00 0e 00 c5 14 01 00 88 77 66 55 44 33 22 11
        22 49 b5 40 03 00 00 00 02 00 06 00 00 00 08 07
        06 05 04 03 02 01 02 00 0b 00 72 c3 b4 6c 65 20
        74 61 6b 65 6e
        """;

    @ParameterizedTest
    @EnumSource
    void encodesToTheDocumentedBytes(SampleFrame sample) {
        FrameBuffer frame = new FrameBuffer(1024);
        byte[] bytes = new byte[sample.encode(frame)];
        frame.buffer().getBytes(0, bytes);

        assertEquals(golden(sample), HexFormat.ofDelimiter(" ").formatHex(bytes));
    }

    @ParameterizedTest
    @EnumSource
    void documentedBytesAreAccepted(SampleFrame sample) {
        byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(golden(sample));
        FrameBuffer frame = new FrameBuffer(bytes.length);
        frame.buffer().putBytes(0, bytes);
        FrameValidator validator = new FrameValidator(SampleFrame.CLUSTER, new FrameChecksum());

        assertNull(validator.validate(frame.buffer(), 0, bytes.length));
    }

    @Test
    void digestOfTheFourDataFrames() {
        ClockDigest digest = new ClockDigest();
        digest.add(0xFC2242EB);
        digest.add(0xEED1F565);
        digest.add(0xF74FE5DA);
        digest.add(0xD0C731AF);

        assertEquals(0x9F65438A, digest.value());
        assertEquals(4, digest.frames());
    }

    private static String golden(SampleFrame sample) {
        String text = switch (sample) {
            case DATA_DENSE -> DATA_DENSE;
            case DATA_BITMAP -> DATA_BITMAP;
            case DATA_INDEX -> DATA_INDEX;
            case DATA_EMPTY -> DATA_EMPTY;
            case MARK -> MARK;
            case DECLARATION -> DECLARATION;
            case PULL -> PULL;
            case JOIN -> JOIN;
            case WELCOME -> WELCOME;
            case HEARTBEAT -> HEARTBEAT;
            case LEAVE -> LEAVE;
            case ERROR -> ERROR;
        };
        return text.strip().replace('\n', ' ');
    }
}
