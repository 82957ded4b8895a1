package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the wire format with frames made by a program that shares no code with this library. If one of them
 * has to change, so must the schema version.
 */
class GoldenFramesTest {
    private static final Pattern DUMP = Pattern.compile("```\n((?:[0-9a-f]{2}[ \n])+)```");
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

    private final FrameChecksum checksum = new FrameChecksum();
    private final FrameBuffer frame = FrameBuffer.forDataFrames(BlockFormat.MAX_ELEMENTS);

    @ParameterizedTest
    @EnumSource
    void controlMessagesAreEncodedToTheGoldenBytes(SampleFrame sample) {
        assertEquals(golden(sample.name()), dump(sample.encode(frame)));
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void dataFramesAreEncodedToTheGoldenBytes(GoldenBlock golden) {
        Block block = golden.copyTo(frame);
        int length = new DataFrameEncoder(golden.elements())
                .encode(frame, SampleFrame.dataHeader(), block, PayloadCompressor.never(), checksum);

        assertEquals(golden(golden.name()), dump(length));
    }

    @ParameterizedTest
    @MethodSource("frames")
    void goldenFramesAreAccepted(GoldenFrame golden) {
        int length = golden.copyTo(frame);
        FrameValidator validator = new FrameValidator(SampleFrame.CLUSTER, checksum);

        assertNull(validator.validate(frame.buffer(), 0, length));
        if (golden.isData()) {
            DataFrameDecoder decoder = new DataFrameDecoder(BlockFormat.MAX_ELEMENTS, AcceptedCompressors.named());
            assertNull(decoder.wrap(frame.buffer(), 0, length));
        }
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void indicesAreDecoded(GoldenBlock golden) {
        int length = GoldenFrame.named(golden.name()).copyTo(frame);
        DataFrameDecoder decoder = new DataFrameDecoder(BlockFormat.MAX_ELEMENTS, AcceptedCompressors.named());

        assertNull(decoder.wrap(frame.buffer(), 0, length));
        assertEquals(golden.format(), decoder.format());
        assertEquals(golden.type(), decoder.valueType());
        assertEquals(golden.elements(), decoder.elements());
        assertEquals(
                HEX.formatHex(golden.bytes()),
                dump(decoder.blockAddress() - frame.segment().address(), decoder.blockLength()));
        assertArrayEquals(golden.indices(), Indices.of(decoder));
    }

    @Test
    void everyCombinationIsThere() {
        Set<ValueType> types = EnumSet.allOf(ValueType.class);
        for (BlockFormat format : EnumSet.complementOf(EnumSet.of(BlockFormat.EMPTY))) {
            Set<ValueType> covered = GoldenBlock.written().stream()
                    .filter(block -> block.format() == format && block.count() > BitPlanes.GROUP)
                    .map(GoldenBlock::type)
                    .collect(Collectors.toSet());
            assertEquals(types, covered, format.name());
        }
        assertTrue(GoldenBlock.written().stream().anyMatch(block -> block.format() == BlockFormat.EMPTY));
    }

    @Test
    void thePageShowsTheSameBytes() throws IOException {
        Set<String> golden = GoldenFrame.all().stream()
                .map(one -> HEX.formatHex(one.bytes()))
                .collect(Collectors.toSet());
        GoldenLines.of("seals.txt")
                .forEach(words -> golden.add(HEX.formatHex(HexFormat.of().parseHex(words[1]))));
        Matcher dumps = DUMP.matcher(Files.readString(Path.of("..", "docs", "protocol.md")));
        int shown = 0;
        while (dumps.find()) {
            String bytes = dumps.group(1).strip().replace('\n', ' ');
            assertTrue(golden.contains(bytes), () -> "docs/protocol.md shows a frame that is not golden: " + bytes);
            shown++;
        }
        assertTrue(shown >= 18, "docs/protocol.md shows only " + shown + " frames");
    }

    private static List<GoldenFrame> frames() {
        return GoldenFrame.all();
    }

    private static List<GoldenBlock> blocks() {
        return GoldenBlock.all();
    }

    private static String golden(String name) {
        return HEX.formatHex(GoldenFrame.named(name).bytes());
    }

    private String dump(int length) {
        return dump(0, length);
    }

    private String dump(long offset, int length) {
        byte[] bytes = new byte[length];
        frame.buffer().getBytes((int) offset, bytes);
        return HEX.formatHex(bytes);
    }
}
