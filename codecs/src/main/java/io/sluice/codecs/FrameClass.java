package io.sluice.codecs;

import java.util.Locale;

/**
 * Data frames that compress alike: those of one block format and one type of values. Numbered from 0, so that what is
 * known of each class lies in arrays.
 */
final class FrameClass {
    private static final BlockFormat[] FORMATS = BlockFormat.values();
    private static final ValueType[] TYPES = ValueType.values();

    /** How many classes there are. */
    static final int COUNT = FORMATS.length * TYPES.length;

    private FrameClass() {}

    /** The class of a block. */
    static int of(BlockFormat format, ValueType values) {
        return format.ordinal() * TYPES.length + values.ordinal();
    }

    /** What people call a class, such as {@code bitmap f32}. */
    static String name(int frameClass) {
        String format = FORMATS[frameClass / TYPES.length].name();
        String values = TYPES[frameClass % TYPES.length].name();
        return (format + ' ' + values).toLowerCase(Locale.ROOT);
    }
}
