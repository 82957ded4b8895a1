package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BlockFormatTest {
    @Test
    void codesAreFixed() {
        assertEquals(1, BlockFormat.DENSE.code());
        assertEquals(2, BlockFormat.BITMAP.code());
        assertEquals(3, BlockFormat.INDEX.code());
        for (BlockFormat format : BlockFormat.values()) {
            assertEquals(format, BlockFormat.fromCode(format.code()));
        }
        assertNull(BlockFormat.fromCode(0));
        assertNull(BlockFormat.fromCode(4));
        assertNull(BlockFormat.fromCode(255));
    }

    @Test
    void lengths() {
        assertEquals(400, BlockFormat.DENSE.length(100, 100));
        assertEquals(16 + 12, BlockFormat.BITMAP.length(100, 3));
        assertEquals(8 + 12, BlockFormat.INDEX.length(100, 3));
        assertEquals(4 + 8, BlockFormat.INDEX.length(100, 2));
        assertEquals(0, BlockFormat.INDEX.length(100, 0));
        assertEquals(8 * 1024 + 4 * 65536, BlockFormat.maxLength(65536));
    }

    @Test
    void cheapestIsTheShortestForEveryCount() {
        for (int elements = 1; elements <= 700; elements++) {
            for (int count = 0; count <= elements; count++) {
                assertCheapest(elements, count);
            }
        }
        for (int count = 0; count <= BlockFormat.MAX_ELEMENTS; count++) {
            assertCheapest(BlockFormat.MAX_ELEMENTS, count);
        }
    }

    private static void assertCheapest(int elements, int count) {
        BlockFormat cheapest = BlockFormat.cheapest(elements, count);
        int length = cheapest.length(elements, count);
        assertTrue(length <= BlockFormat.maxLength(elements));
        for (BlockFormat other : BlockFormat.values()) {
            int otherLength = other.length(elements, count);
            boolean better = otherLength < length || (otherLength == length && other.compareTo(cheapest) < 0);
            assertTrue(!better, () -> other + " beats " + cheapest + " at " + count + " of " + elements);
        }
    }

    @Test
    void refusesSlicesThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> BlockFormat.maxLength(0));
        assertThrows(IllegalArgumentException.class, () -> BlockFormat.maxLength(65537));
    }
}
