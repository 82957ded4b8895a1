package io.sluice.codecs;

import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import java.util.Locale;

/**
 * Data frames of one block format and one type of values, which compress alike. Classes are numbered from 0, so that
 * they can index arrays.
 */
final class FrameClass {
    private static final BlockFormat[] FORMATS = BlockFormat.values();
    private static final ValueType[] TYPES = ValueType.values();

    /** Number of classes. */
    static final int COUNT = FORMATS.length * TYPES.length;

    private FrameClass() {}

    /** The class of a block. */
    static int of(BlockFormat format, ValueType values) {
        return format.ordinal() * TYPES.length + values.ordinal();
    }

    /** The name of a class, such as {@code bitmap f32}. */
    static String name(int frameClass) {
        String format = FORMATS[frameClass / TYPES.length].name();
        String values = TYPES[frameClass % TYPES.length].name();
        return (format + ' ' + values).toLowerCase(Locale.ROOT);
    }
}
