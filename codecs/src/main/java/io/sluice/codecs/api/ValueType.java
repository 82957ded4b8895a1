package io.sluice.codecs.api;

import io.sluice.codecs.Levels;
import io.sluice.codecs.LogScale;
import io.sluice.codecs.PackedExponents;
import java.util.List;
import java.util.Locale;

/**
 * How the values of a block are encoded. docs/protocol.md describes each type to the byte; {@link PackedExponents},
 * {@link LogScale} and {@link Levels} have the arithmetic of the columns that are not plain arrays.
 *
 * <p>The lossy types are for senders that keep the rounding error in their residual, so that it is delayed, not lost.
 */
public enum ValueType {
    /** IEEE 754 binary32, 4 bytes. */
    F32(1, Float.BYTES, 0),
    /** binary32 without loss, its exponents packed into as few bits as their range needs: about 26 bits a value. */
    F32_PACKED(2, 3, PackedExponents.HEADER_LENGTH),
    /** bfloat16: the upper half of a binary32, rounded to nearest even; relative error at most 2<sup>-8</sup>. */
    BF16(3, Short.BYTES, 0),
    /** bfloat16 without further loss, its exponents packed: about 10 bits a value. */
    BF16_PACKED(4, 1, PackedExponents.HEADER_LENGTH),
    /**
     * IEEE 754 binary16 without its infinities and NaNs; relative error at most 2<sup>-11</sup> from 2<sup>-14</sup> to
     * 65,504, absolute error at most 2<sup>-25</sup> below; larger magnitudes saturate.
     */
    F16(5, Short.BYTES, 0),
    /** A sign and 7 bits on a scale between the block's least and greatest magnitude; see {@link LogScale}. */
    LOG8(6, Byte.BYTES, LogScale.HEADER_LENGTH),
    /** Numbers of 1 to 8 bits and a scale for each group of values, chosen by a quantiser; see {@link Levels}. */
    LEVELS(7, 0, Levels.HEADER_LENGTH);

    private static final ValueType[] BY_CODE = {null, F32, F32_PACKED, BF16, BF16_PACKED, F16, LOG8, LEVELS};

    private static final List<ValueType> CHOICES = List.of(F32, F32_PACKED, BF16, BF16_PACKED, F16, LOG8);

    private final int code;
    private final int bytes;
    private final int header;

    ValueType(int code, int bytes, int header) {
        this.code = code;
        this.bytes = bytes;
        this.header = header;
    }

    /** The code in a frame. */
    public int code() {
        return code;
    }

    /** The type with a code, or {@code null} if there is none. */
    public static ValueType fromCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** The types that a cluster may choose for its values: all but {@link #LEVELS}, in which a filter encodes. */
    public static List<ValueType> choices() {
        return CHOICES;
    }

    /**
     * The type of a configured name: {@code f32}, {@code f32-packed}, {@code bf16}, {@code bf16-packed}, {@code f16} or
     * {@code log8}.
     *
     * @param name name in lower case
     * @return the type
     * @throws IllegalArgumentException if there is none of that name
     */
    public static ValueType named(String name) {
        for (ValueType type : CHOICES) {
            if (type.configName().equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException("values must be f32, f32-packed, bf16, bf16-packed, f16 or log8: " + name);
    }

    /** The name used in configuration. */
    public String configName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the exponents are packed, so that the length of a column depends on the values in it. */
    public boolean isPacked() {
        return plain() != this;
    }

    /** Whether the length of a column follows from the number of values. */
    public boolean hasFixedLength() {
        return this != LEVELS && !isPacked();
    }

    /** The type without packing, which a sender uses if packing saves nothing. */
    public ValueType plain() {
        return switch (this) {
            case F32_PACKED -> F32;
            case BF16_PACKED -> BF16;
            default -> this;
        };
    }

    /**
     * Length of the shortest column of values, which is that of every column if the type
     * {@link #hasFixedLength() has a fixed length}.
     *
     * @param count number of values, 0 or more
     * @return bytes; 0 for no values
     */
    public int minLength(int count) {
        if (count == 0) {
            return 0;
        }
        return this == LEVELS ? Levels.minLength(count) : header + bytes * count;
    }

    /**
     * Length of a column of values that is in memory, and whose header is valid.
     *
     * @param address address of its first byte; at least {@link #minLength} bytes must be readable
     * @param count number of values, 0 or more
     * @return bytes
     */
    public int length(long address, int count) {
        if (hasFixedLength() || count == 0) {
            return minLength(count);
        }
        return this == LEVELS
                ? Levels.length(address, count)
                : minLength(count) + PackedExponents.exponentsLength(address, count);
    }
}
