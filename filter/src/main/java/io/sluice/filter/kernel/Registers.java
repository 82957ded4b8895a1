package io.sluice.filter.kernel;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.OffHeap;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The vector registers that the kernels use, and their loads and stores. A register of floats has 4, 8 or 16 lanes: as
 * many as the processor prefers, or as {@link Kernels#WIDTH_PROPERTY} states.
 *
 * <p>Methods that take or return vectors must be inlined and kernels must not be, so the methods are here: see
 * {@code jvm.args}.
 */
final class Registers {
    private static final MemorySegment ALL = OffHeap.ALL;

    /** Maximum width of a register in bits, so that a step of four registers is a bitmap word at most. */
    private static final int MAX_BITS = 512;

    private static final VectorShape SHAPE = shape();

    static final VectorSpecies<Float> FLOATS = VectorSpecies.of(float.class, SHAPE);
    static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, SHAPE);
    static final int LANES = FLOATS.length();

    /** A register with as many shorts as a register has floats. */
    static final VectorSpecies<Short> SHORTS = VectorSpecies.of(short.class, narrower(2));

    /** A register with as many bytes as a register has floats, or 8, the least that a register can have. */
    static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, SHAPE.vectorBitSize() / 4)));

    /** Number of bytes that {@link #bytes} reads and {@link #storeBytes} writes. */
    static final int BYTE_LANES = BYTES.length();

    /** Registers full of shorts, for groups of 32 numbers. */
    static final VectorSpecies<Short> GROUP_SHORTS = VectorSpecies.of(short.class, SHAPE);

    private static final int GROUP_LANES = GROUP_SHORTS.length();

    /** Lane i has bit i set, and no other bit. */
    private static final ShortVector GROUP_LANE_BITS = ShortVector.broadcast(GROUP_SHORTS, 1)
            .lanewise(VectorOperators.LSHL, ShortVector.zero(GROUP_SHORTS).addIndex(1));

    private static final IntVector LANE_BITS = IntVector.broadcast(INTS, 1)
            .lanewise(VectorOperators.LSHL, IntVector.zero(INTS).addIndex(1));

    /** The counters of a register's draws, multiplied as {@link Draws#draw} does. */
    private static final IntVector LANE_STEPS = IntVector.zero(INTS).addIndex(1).mul(Draws.STEP);

    private Registers() {}

    private static VectorShape shape() {
        String bits = System.getProperty(Kernels.WIDTH_PROPERTY);
        // On a processor with wider registers than the kernels are written for, they use the lower part.
        int preferred = Math.min(FloatVector.SPECIES_PREFERRED.vectorBitSize(), MAX_BITS);
        return VectorShape.forBitSize(bits == null ? preferred : Integer.parseInt(bits));
    }

    private static VectorShape narrower(int times) {
        return VectorShape.forBitSize(SHAPE.vectorBitSize() / times);
    }

    static FloatVector floats(long address) {
        return FloatVector.fromMemorySegment(FLOATS, ALL, address, LITTLE_ENDIAN);
    }

    static FloatVector floats(long address, VectorMask<Float> lanes) {
        return FloatVector.fromMemorySegment(FLOATS, ALL, address, LITTLE_ENDIAN, lanes);
    }

    static void store(FloatVector vector, long address) {
        vector.intoMemorySegment(ALL, address, LITTLE_ENDIAN);
    }

    static void store(FloatVector vector, long address, VectorMask<Float> lanes) {
        vector.intoMemorySegment(ALL, address, LITTLE_ENDIAN, lanes);
    }

    static IntVector ints(long address) {
        return IntVector.fromMemorySegment(INTS, ALL, address, LITTLE_ENDIAN);
    }

    static void store(IntVector vector, long address) {
        vector.intoMemorySegment(ALL, address, LITTLE_ENDIAN);
    }

    static ShortVector shorts(long address) {
        return ShortVector.fromMemorySegment(SHORTS, ALL, address, LITTLE_ENDIAN);
    }

    static ShortVector groupShorts(long address) {
        return ShortVector.fromMemorySegment(GROUP_SHORTS, ALL, address, LITTLE_ENDIAN);
    }

    static void store(ShortVector vector, long address) {
        vector.intoMemorySegment(ALL, address, LITTLE_ENDIAN);
    }

    /** Loads {@link #LANES} bytes as unsigned integers; reads {@link #BYTE_LANES}. */
    static IntVector bytes(long address) {
        ByteVector loaded = ByteVector.fromMemorySegment(BYTES, ALL, address, LITTLE_ENDIAN);
        return (IntVector) loaded.convertShape(VectorOperators.ZERO_EXTEND_B2I, INTS, 0);
    }

    /**
     * Stores the lowest byte of each lane; writes {@link #BYTE_LANES}, of which those after the lanes are undefined.
     */
    static void storeBytes(IntVector vector, long address) {
        ByteVector narrowed = (ByteVector) vector.convertShape(VectorOperators.I2B, BYTES, 0);
        narrowed.intoMemorySegment(ALL, address, LITTLE_ENDIAN);
    }

    /** The bits of the sums of floats at two addresses. */
    static IntVector sums(long left, long right) {
        return floats(left).add(floats(right)).reinterpretAsInts();
    }

    /** The same integer, or the same bits, in all lanes. */
    static IntVector all(int bits) {
        return IntVector.broadcast(INTS, bits);
    }

    /** Packs the kept lanes; the other lanes are undefined. {@code bits} are those of the mask. */
    static IntVector pack(IntVector v, VectorMask<Integer> kept, long bits) {
        return LaneTables.COVER_REGISTERS ? LaneTables.pack(v, bits) : v.compress(kept);
    }

    /** Lanes whose magnitude is above the threshold and fits bfloat16. */
    static VectorMask<Float> isBetween(FloatVector magnitude, float threshold) {
        return magnitude
                .compare(VectorOperators.GT, threshold)
                .and(magnitude.compare(VectorOperators.LE, ThresholdKernel.GREATEST_BF16));
    }

    /** Moves the first lanes to those whose bits are set, and makes the others 0. */
    static FloatVector expanded(FloatVector v, long present) {
        if (!LaneTables.COVER_REGISTERS) {
            return v.expand(VectorMask.fromLong(FLOATS, present));
        }
        IntVector row = LaneTables.spreading(present);
        return LaneTables.spread(row, v).blend(0.0f, LaneTables.absent(row).cast(FLOATS));
    }

    /** The mask that selects, in a register of shorts, the lanes whose bits are set in {@code bits}. */
    static VectorMask<Short> groupLanes(long bits) {
        return GROUP_LANES > Short.SIZE
                ? VectorMask.fromLong(GROUP_SHORTS, bits)
                : GROUP_LANE_BITS.and((short) bits).compare(VectorOperators.NE, (short) 0);
    }

    /** The mask that selects, in a register of ints, the lanes whose bits are set in {@code bits}. */
    static VectorMask<Integer> lanes(long bits) {
        return !LaneTables.COVER_REGISTERS
                ? VectorMask.fromLong(INTS, bits)
                : LANE_BITS.and((int) bits).compare(VectorOperators.NE, 0);
    }

    /** The random numbers of consecutive counters, see {@link Draws#draw}. */
    static FloatVector draws(long key, int counter) {
        IntVector x = LANE_STEPS.add(counter * Draws.STEP).lanewise(VectorOperators.XOR, (int) key);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(VectorOperators.LSHR, 16))
                .mul(Draws.FIRST);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(VectorOperators.LSHR, 15))
                .lanewise(VectorOperators.XOR, (int) (key >>> Integer.SIZE))
                .mul(Draws.SECOND);
        x = x.lanewise(VectorOperators.XOR, x.lanewise(VectorOperators.LSHR, 15))
                .lanewise(VectorOperators.LSHR, Integer.SIZE - Draws.BITS);
        return (FloatVector) x.convertShape(VectorOperators.I2F, FLOATS, 0);
    }

    /** Ternary digits of the numbers -1, 0 and 1: 2, 0 and 1. */
    static IntVector digits(IntVector numbers) {
        IntVector lower = numbers.and(3);
        return lower.sub(lower.lanewise(VectorOperators.LSHR, 1));
    }

    /** Rounds to the nearest even of the upper 16 bits. */
    static FloatVector toBf16(FloatVector v) {
        IntVector bits = v.reinterpretAsInts();
        IntVector even = bits.lanewise(VectorOperators.LSHR, Short.SIZE).and(1);
        return bits.add(even)
                .add(ScalarSplit.BELOW_HALF)
                .and(ScalarSplit.BF16_MASK)
                .reinterpretAsFloats();
    }

    /** Biased exponents of the values at an address. */
    static IntVector exponents(long values) {
        return ints(values)
                .lanewise(VectorOperators.LSHR, ScalarExponents.EXPONENT_SHIFT)
                .and(ScalarExponents.EXPONENT);
    }

    /** Magnitudes as bits, of which those of infinities and NaNs are the greatest. */
    static IntVector magnitude(FloatVector v) {
        return v.reinterpretAsInts().and(ScalarSplit.MAGNITUDE_BITS);
    }

    /** Whether magnitudes given as bits are all finite. */
    static boolean isFinite(IntVector magnitudes) {
        return !magnitudes
                .compare(VectorOperators.GE, ScalarSplit.INFINITY_BITS)
                .anyTrue();
    }

    /** The greatest of magnitudes given as bits, and of one more. */
    static float greater(IntVector magnitudes, float magnitude) {
        int most = magnitudes.reduceLanes(VectorOperators.MAX);
        return Float.intBitsToFloat(Math.max(most, Float.floatToRawIntBits(magnitude)));
    }
}
