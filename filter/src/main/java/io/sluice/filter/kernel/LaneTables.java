package io.sluice.filter.kernel;

import static io.sluice.filter.kernel.Memory.f32;
import static io.sluice.filter.kernel.Memory.u16;
import static io.sluice.filter.kernel.Registers.LANES;
import static io.sluice.filter.kernel.Registers.ints;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.Arena;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Packs the kept lanes of a register, and spreads values to them, for processors that have no instruction for that. A
 * table has a row of lane numbers for each combination of kept lanes, and one instruction moves the lanes as a row
 * states.
 *
 * <p>Registers of 16 lanes would need 65,536 rows, but every processor that has such registers has the instruction.
 */
final class LaneTables {
    /** Whether the tables cover the registers in use. */
    static final boolean COVER_REGISTERS = LANES <= 8;

    private static final int ROWS = 1 << 8;
    private static final int ROW_LENGTH = 8;
    private static final int ROW_SHIFT = 5;

    /** Marks a lane that gets no value. Its lower bits are 0, so that it wraps to an existing lane. */
    private static final int ABSENT = 0x80;

    /** Table whose row b has the numbers of the bits that are set in b, ascending. */
    private static final long PACKING = table();

    /**
     * Table whose row b has, at place i, the number of bits below i that are set in b, or {@link #ABSENT} if bit i is
     * not set.
     */
    private static final long SPREADING = PACKING + (ROWS << ROW_SHIFT);

    /** The rows of {@link #PACKING}, as shorts. */
    private static final long SET_BITS = shortTable();

    static final VectorSpecies<Short> EIGHT_SHORTS = ShortVector.SPECIES_128;
    private static final int SHORT_ROW_SHIFT = 4;

    private LaneTables() {}

    private static long table() {
        long packing = Arena.global()
                .allocate(2L * ROWS << ROW_SHIFT, OffHeap.ALIGNMENT)
                .address();
        for (int row = 0; row < ROWS; row++) {
            long packed = packing + ((long) row << ROW_SHIFT);
            long spread = packed + (ROWS << ROW_SHIFT);
            for (int lane = 0; lane < ROW_LENGTH; lane++) {
                boolean set = (row >>> lane & 1) != 0;
                int below = Integer.bitCount(row & (1 << lane) - 1);
                Memory.putInt(f32(spread, lane), set ? below : ABSENT);
                if (set) {
                    Memory.putInt(f32(packed, below), lane);
                }
            }
        }
        return packing;
    }

    private static long shortTable() {
        long rows = Arena.global()
                .allocate((long) ROWS << SHORT_ROW_SHIFT, OffHeap.ALIGNMENT)
                .address();
        for (int entry = 0; entry < ROWS * ROW_LENGTH; entry++) {
            Memory.putShort(u16(rows, entry), Memory.getInt(f32(PACKING, entry)));
        }
        return rows;
    }

    /** The numbers of the bits that are set in a byte, ascending; the lanes after them are undefined. */
    static ShortVector setBits(int bits) {
        long row = SET_BITS + ((bits & (long) ROWS - 1) << SHORT_ROW_SHIFT);
        return ShortVector.fromMemorySegment(EIGHT_SHORTS, OffHeap.ALL, row, LITTLE_ENDIAN);
    }

    /** Packs the lanes whose bits are set; the other lanes are undefined. */
    static IntVector pack(IntVector v, long kept) {
        return row(PACKING, kept).selectFrom(v);
    }

    /** The row with which {@link #spread} moves values to the lanes whose bits are set. */
    static IntVector spreading(long present) {
        return row(SPREADING, present);
    }

    /**
     * Spreads the first values, in order, to the lanes that a row of {@link #spreading} selects; the other lanes are
     * undefined.
     */
    static FloatVector spread(IntVector row, FloatVector values) {
        return row.selectFrom(values.reinterpretAsInts()).reinterpretAsFloats();
    }

    /** The lanes that a row of {@link #spreading} does not select. */
    static VectorMask<Integer> absent(IntVector row) {
        return row.compare(VectorOperators.GT, LANES - 1);
    }

    private static IntVector row(long table, long bits) {
        return ints(table + ((bits & ROWS - 1) << ROW_SHIFT));
    }
}
