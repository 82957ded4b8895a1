package io.sluice.codecs;

import static io.sluice.codecs.Rejection.BAD_BLOCK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class BlockValidatorTest {
    @Test
    void denseNeedsEveryElement() {
        MemorySegment block = MemorySegment.ofArray(new float[4]);

        assertNull(BlockValidator.validate(block, 0, BlockFormat.DENSE, 4, 4));
        assertEquals(BAD_BLOCK, BlockValidator.validate(block, 0, BlockFormat.DENSE, 4, 3));
    }

    @Test
    void bitmapPopulationIsTheCount() {
        MemorySegment block = MemorySegment.ofArray(new long[] {0b1011, 0b1});

        assertNull(BlockValidator.validate(block, 0, BlockFormat.BITMAP, 70, 4));
        assertEquals(BAD_BLOCK, BlockValidator.validate(block, 0, BlockFormat.BITMAP, 70, 3));
        assertEquals(BAD_BLOCK, BlockValidator.validate(block, 0, BlockFormat.BITMAP, 70, 5));
    }

    @Test
    void bitmapHasNoBitsBehindTheLastElement() {
        for (int elements = 1; elements <= 64; elements++) {
            MemorySegment last = MemorySegment.ofArray(new long[] {1L << (elements - 1)});
            assertNull(BlockValidator.validate(last, 0, BlockFormat.BITMAP, elements, 1));
            if (elements > 1) {
                assertEquals(BAD_BLOCK, BlockValidator.validate(last, 0, BlockFormat.BITMAP, elements - 1, 1));
            }
        }
    }

    @Test
    void indicesAscendWithinTheSlice() {
        assertNull(indices(70, 3, 1, 63, 69, 0));
        assertNull(indices(70, 2, 0, 69));
        assertNull(indices(65536, 2, 0, 65535));
        assertNull(indices(70, 0));
        assertEquals(BAD_BLOCK, indices(69, 3, 1, 63, 69, 0), "beyond the slice");
        assertEquals(BAD_BLOCK, indices(70, 2, 5, 5), "twice the same");
        assertEquals(BAD_BLOCK, indices(70, 2, 6, 5), "descending");
        assertEquals(BAD_BLOCK, indices(70, 3, 1, 2, 3, 4), "padding is not zero");
    }

    private static Rejection indices(int elements, int count, int... columns) {
        MemorySegment block = MemorySegment.ofArray(new byte[columns.length * Short.BYTES]);
        for (int i = 0; i < columns.length; i++) {
            block.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i, (short) columns[i]);
        }
        return BlockValidator.validate(block, 0, BlockFormat.INDEX, elements, count);
    }
}
