package io.sluice.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.BlockValidator;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Invariants 1 and 2 on every path from update to block and back: for every format and value type, sent + residual is
 * the input, and values above the threshold are sent.
 */
class SliceFilterTest {
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final Map<BlockFormat, Integer> seen = new EnumMap<>(BlockFormat.class);

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEVELS")
    void nothingIsLostWhateverTheFormat(ValueType type) {
        nothingIsLost(type, 1_000_000_000, 800);
        assertTrue(seen.keySet().containsAll(Arrays.asList(BlockFormat.values())), "formats seen: " + seen);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEVELS")
    void fastLinksCarryBitmapsInsteadOfDeltas(ValueType type) {
        nothingIsLost(type, 2_000_000_000, 200);
        assertFalse(seen.containsKey(BlockFormat.DELTA), "formats seen: " + seen);
        assertTrue(seen.containsKey(BlockFormat.BITMAP), "formats seen: " + seen);
    }

    private void nothingIsLost(ValueType type, long linkRate, int runs) {
        int most = 20_000;
        SliceFilter[] twins = {
            new SliceFilter(Kernels.vector(), type, most, linkRate),
            new SliceFilter(Kernels.scalar(), type, most, linkRate)
        };
        Property.holds(runs, random -> {
            int elements = random.nextInt(6) == 0 ? random.nextInt(1, most + 1) : random.nextInt(1, 500);
            float[] update = new float[elements];
            MemorySegment residual = Floats.room(4L * elements, 4);
            Inputs.fill(random, update, residual);
            float threshold = Inputs.threshold(random);
            compare(twins, update, residual, threshold, random.nextInt(3));
        });
    }

    @ParameterizedTest
    @Tag("slow")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "LEVELS")
    void awkwardLengthsAndContents(ValueType type) {
        SliceFilter[] twins = {new SliceFilter(Kernels.vector(), type), new SliceFilter(Kernels.scalar(), type)};
        for (int elements :
                new int[] {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 65_536}) {
            for (float content : Inputs.AWKWARD) {
                float[] update = new float[elements];
                Arrays.fill(update, content);
                for (float threshold : new float[] {0, 1e-39f, 1, 1e30f, Float.MAX_VALUE}) {
                    compare(twins, update, Floats.room(4L * elements, 0), threshold, elements % 3);
                }
            }
        }
    }

    /** Compares the twins; {@code where} is 0 for an update in native memory, 1 for an array, 2 for the residual. */
    private void compare(SliceFilter[] twins, float[] update, MemorySegment residual, float threshold, int way) {
        int elements = update.length;
        MemorySegment first = null;
        for (SliceFilter filter : twins) {
            MemorySegment after = Floats.copyOf(residual, 4);
            MemorySegment room = Floats.room(BlockFormat.maxLength(elements) + 128L, 0);
            room.asSlice(64 + BlockFormat.maxLength(elements)).fill((byte) 0x5A);
            Block block = new Block().wrap(room.asSlice(0, 64 + BlockFormat.maxLength(elements)), 64);
            run(filter, update, after, threshold, way, block);
            for (long at = room.byteSize() - 64; at < room.byteSize(); at++) {
                assertEquals(0x5A, room.get(ValueLayout.JAVA_BYTE, at), "written behind the room");
            }
            check(filter.values(), way == 2 ? null : update, residual, after, threshold, block);
            MemorySegment made = Floats.room(block.length() + 4L * elements, 0);
            made.copyFrom(room.asSlice(64, block.length()));
            made.asSlice(block.length()).copyFrom(after);
            assertEquals(-1, first == null ? -1 : first.mismatch(made), "twins differ");
            first = made;
            seen.merge(block.format(), 1, Integer::sum);
        }
    }

    private static void run(
            SliceFilter filter, float[] update, MemorySegment residual, float threshold, int way, Block block) {
        int elements = update.length;
        switch (way) {
            case 0 -> filter.filter(Floats.of(update, 0), 0, residual, 0, elements, threshold, block);
            case 1 -> filter.filter(update, 0, residual, 0, elements, threshold, block);
            default -> filter.encodeResidual(residual, 0, elements, threshold, block);
        }
    }

    private static void check(
            ValueType type, float[] update, MemorySegment before, MemorySegment after, float threshold, Block block) {
        int elements = block.elements();
        int indicesLength = BlockValidator.validate(
                OffHeap.address(block), block.length(), block.format(), block.values(), elements, block.count());
        assertNotEquals(-1, indicesLength, "not a valid block: " + block.format() + " " + block.values());
        assertTrue(block.length() <= BlockFormat.maxLength(elements));
        MemorySegment arrived = Received.values(block);
        for (int i = 0; i < elements; i++) {
            float r = before.get(F32, 4L * i);
            float v = update == null ? r : r + update[i];
            float sent = arrived.get(F32, 4L * i);
            float left = after.get(F32, 4L * i);
            int index = i;
            if (Math.abs(v) < 0x1p29f) {
                assertEquals(v, (double) sent + left, () -> type + " lost something of element " + index);
            }
            double bound = Math.max(threshold, error(type, v));
            assertTrue(Math.abs(left) <= bound, () -> type + ", element " + index + ": " + v + " left " + left);
        }
    }

    /**
     * The greatest error of a value of a type; infinite for LOG8, whose error depends on the block, and for saturated
     * values.
     */
    private static double error(ValueType type, float v) {
        return switch (type) {
            case F32, F32_PACKED -> 0;
            case BF16, BF16_PACKED ->
                Math.abs(v) > 0x1.FEp127f ? Double.POSITIVE_INFINITY : Math.max(Math.abs(v) / 256.0, 0x1p-134);
            case F16 -> Math.abs(v) > 65504 ? Double.POSITIVE_INFINITY : Math.max(Math.abs(v) / 2048.0, 0x1p-25);
            case LOG8, LEVELS -> Double.POSITIVE_INFINITY;
        };
    }

    @Test
    void logScaleIsWithinItsErrorOfARangeOfSixteen() {
        Property.holds(1, random -> {
            int elements = 5000;
            float[] update = new float[elements];
            for (int i = 0; i < elements; i++) {
                update[i] = (float) Math.pow(2, random.nextDouble(0, 4)) * (random.nextBoolean() ? 1 : -1);
            }
            MemorySegment residual = Floats.room(4L * elements, 0);
            Block block = new Block().wrap(Floats.room(BlockFormat.maxLength(elements), 0), 0);
            new SliceFilter(Kernels.preferred(), ValueType.LOG8).filter(update, 0, residual, 0, elements, 0.5f, block);
            assertEquals(elements, block.count());
            for (int i = 0; i < elements; i++) {
                assertTrue(Math.abs(residual.get(F32, 4L * i)) <= 0.016 * Math.abs(update[i]));
            }
        });
    }

    @Test
    void theShortestOfAllFormatsIsTaken() {
        Property.holds(300, random -> {
            int elements = random.nextInt(1, 3000);
            float[] update = new float[elements];
            MemorySegment residual = Floats.room(4L * elements, 0);
            Inputs.fill(random, update, residual);
            SliceFilter filter = new SliceFilter(Kernels.preferred(), ValueType.F32);
            Block block = new Block().wrap(Floats.room(BlockFormat.maxLength(elements), 0), 0);
            filter.filter(update, 0, residual, 0, elements, Inputs.threshold(random), block);
            int count = block.count();
            for (BlockFormat other : BlockFormat.values()) {
                if (!other.dependsOnIndices() && other.permits(elements, count)) {
                    assertTrue(block.length() <= other.minLength(ValueType.F32, elements, count), other.name());
                }
            }
        });
    }

    @Test
    void memoryThatMayNotBeTouchedIsRefused() {
        SliceFilter filter = new SliceFilter(Kernels.preferred(), ValueType.F32);
        MemorySegment residual = Floats.room(400, 0);
        Block block = new Block().wrap(Floats.room(BlockFormat.maxLength(100), 0), 0);
        MemorySegment released;
        try (Arena arena = Arena.ofConfined()) {
            released = arena.allocate(400, 64);
        }
        String message = assertThrows(
                        IllegalStateException.class, () -> filter.filter(released, 0, residual, 0, 100, 1, block))
                .getMessage();
        assertTrue(message.contains("update has been released"), message);
        assertThrows(IllegalStateException.class, () -> filter.encodeResidual(released, 0, 100, 1, block));
        message = assertThrows(
                        IllegalArgumentException.class,
                        () -> filter.encodeResidual(residual.asReadOnly(), 0, 100, 1, block))
                .getMessage();
        assertTrue(message.contains("residual is read-only"), message);
        Block onHeap = new Block().wrap(MemorySegment.ofArray(new byte[BlockFormat.maxLength(100)]), 0);
        assertThrows(IllegalArgumentException.class, () -> filter.encodeResidual(residual, 0, 100, 1, onHeap));
        SliceFilter small = new SliceFilter(Kernels.preferred(), ValueType.F32, 64, 0);
        message = assertThrows(IllegalArgumentException.class, () -> small.encodeResidual(residual, 0, 65, 1, block))
                .getMessage();
        assertTrue(message.contains("up to 64 elements: 65"), message);
    }

    @Test
    void whatIsNoSliceIsRefusedBeforeAnythingHappens() {
        SliceFilter filter = new SliceFilter(Kernels.preferred(), ValueType.F32);
        MemorySegment residual = Floats.room(400, 0);
        MemorySegment update = Floats.of(new float[100], 0);
        Block block = new Block().wrap(Floats.room(BlockFormat.maxLength(100), 0), 0);
        assertThrows(IndexOutOfBoundsException.class, () -> filter.filter(update, 4, residual, 0, 100, 1, block));
        assertThrows(IndexOutOfBoundsException.class, () -> filter.filter(update, 0, residual, 4, 100, 1, block));
        assertThrows(
                IndexOutOfBoundsException.class, () -> filter.filter(new float[99], 0, residual, 0, 100, 1, block));
        assertThrows(IndexOutOfBoundsException.class, () -> filter.encodeResidual(residual, -4, 100, 1, block));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> filter.encodeResidual(
                        residual, 0, 65, 1, new Block().wrap(Floats.room(BlockFormat.maxLength(64), 0), 0)));
        MemorySegment heap = MemorySegment.ofArray(new float[100]);
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> filter.filter(heap, 0, residual, 0, 100, 1, block));
        assertTrue(refused.getMessage().contains("update must be native memory"), refused.getMessage());
        for (int elements : new int[] {0, -1, BlockFormat.MAX_ELEMENTS + 1}) {
            refused = assertThrows(
                    IllegalArgumentException.class, () -> filter.encodeResidual(residual, 0, elements, 1, block));
            assertTrue(refused.getMessage().contains("elements must be 1 to 65536: " + elements));
        }
    }
}
