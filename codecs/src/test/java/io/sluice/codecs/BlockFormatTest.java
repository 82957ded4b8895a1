package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BlockFormatTest {
    private static final BlockFormat[] OF_KNOWN_LENGTH = {BlockFormat.DENSE, BlockFormat.BITMAP, BlockFormat.INDEX};

    @Test
    void codesAreFixed() {
        assertEquals(1, BlockFormat.DENSE.code());
        assertEquals(2, BlockFormat.BITMAP.code());
        assertEquals(3, BlockFormat.INDEX.code());
        assertEquals(4, BlockFormat.DELTA.code());
        assertEquals(5, BlockFormat.EMPTY.code());
        assertEquals(6, BlockFormat.RUNS.code());
        for (BlockFormat format : BlockFormat.values()) {
            assertEquals(format, BlockFormat.fromCode(format.code()));
        }
        assertNull(BlockFormat.fromCode(-1));
        assertNull(BlockFormat.fromCode(0));
        assertNull(BlockFormat.fromCode(7));
        assertNull(BlockFormat.fromCode(255));
    }

    @Test
    void lengths() {
        assertEquals(400, BlockFormat.DENSE.minLength(ValueType.F32, 100, 100));
        assertEquals(16 + 12, BlockFormat.BITMAP.minLength(ValueType.F32, 100, 3));
        assertEquals(8 + 12, BlockFormat.INDEX.minLength(ValueType.F32, 100, 3));
        assertEquals(4 + 8, BlockFormat.INDEX.minLength(ValueType.F32, 100, 2));
        assertEquals(8 + 6, BlockFormat.INDEX.minLength(ValueType.BF16, 100, 3));
        assertEquals(8 + 8 + 3, BlockFormat.INDEX.minLength(ValueType.LOG8, 100, 3));
        assertEquals(8 + 4 + 9, BlockFormat.INDEX.minLength(ValueType.F32_PACKED, 100, 3));
        assertEquals(4 + 16 + 4 * 69, BlockFormat.DELTA.minLength(ValueType.F32, 1000, 69), "69 ones in two words");
        assertEquals(4 + 4 + 8 + 4 * 69, BlockFormat.RUNS.minLength(ValueType.F32, 1000, 69), "one run");
        for (ValueType type : ValueType.values()) {
            assertEquals(0, BlockFormat.EMPTY.minLength(type, 100, 0));
        }
        assertEquals(8 * 1024 + 4 * 65536, BlockFormat.maxLength(65536));
    }

    @Test
    void lengthsOfGoldenBlocks() {
        for (GoldenBlock block : GoldenBlock.all()) {
            int least = block.format().minLength(block.type(), block.elements(), block.count());
            assertTrue(least <= block.bytes().length, block.name());
            assertTrue(block.bytes().length <= BlockFormat.maxLength(block.elements()), block.name());
            if (!block.format().dependsOnIndices() && block.type().hasFixedLength()) {
                assertEquals(least, block.bytes().length, block.name());
            }
        }
    }

    @Test
    void permitsWhatASliceCanHave() {
        for (BlockFormat format : BlockFormat.values()) {
            for (int elements : new int[] {Integer.MIN_VALUE, -1, 0, 65_537, 1 << 30, Integer.MAX_VALUE}) {
                for (int count : new int[] {0, 1, -1, elements}) {
                    assertFalse(format.permits(elements, count), format + " " + count + " of " + elements);
                }
            }
            for (int elements : new int[] {1, 2, 64, 65_535, 65_536}) {
                boolean sparse = format != BlockFormat.EMPTY && format != BlockFormat.DENSE;
                assertEquals(format == BlockFormat.EMPTY, format.permits(elements, 0));
                assertEquals(format != BlockFormat.EMPTY, format.permits(elements, elements));
                assertEquals(sparse, elements > 1 && format.permits(elements, elements - 1) || sparse && elements == 1);
                assertFalse(format.permits(elements, elements + 1));
                assertFalse(format.permits(elements, -1));
                assertFalse(format.permits(elements, Integer.MIN_VALUE));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEVELS")
    void cheapestIsTheShortestForEveryCount(ValueType type) {
        for (int elements = 1; elements <= 300; elements++) {
            for (int count = 0; count <= elements; count++) {
                assertCheapest(type, elements, count);
            }
        }
        for (int count = 0; count <= BlockFormat.MAX_ELEMENTS; count++) {
            assertCheapest(type, BlockFormat.MAX_ELEMENTS, count);
        }
    }

    private static void assertCheapest(ValueType type, int elements, int count) {
        BlockFormat cheapest = BlockFormat.cheapest(type, elements, count);
        if (count == 0) {
            assertEquals(BlockFormat.EMPTY, cheapest);
            return;
        }
        int length = length(cheapest, type, elements, count);
        assertTrue(length + worstExponents(type, count) <= BlockFormat.maxLength(elements), "no receiver accepts it");
        for (BlockFormat other : OF_KNOWN_LENGTH) {
            if (other == BlockFormat.DENSE && type.isPacked() && count < elements) {
                continue;
            }
            int otherLength = length(other, type, elements, count);
            boolean better = otherLength < length || (otherLength == length && other.compareTo(cheapest) < 0);
            assertTrue(!better, () -> other + " beats " + cheapest + " at " + count + " of " + elements + " " + type);
        }
    }

    private static int length(BlockFormat format, ValueType type, int elements, int count) {
        return format.minLength(type, elements, format == BlockFormat.DENSE ? elements : count);
    }

    private static int worstExponents(ValueType type, int count) {
        return type.isPacked() ? PackedExponents.exponentsLength(PackedExponents.MAX_WIDTH, count) : 0;
    }

    @Test
    void refusesSlicesThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> BlockFormat.maxLength(0));
        assertThrows(IllegalArgumentException.class, () -> BlockFormat.maxLength(65537));
    }
}
