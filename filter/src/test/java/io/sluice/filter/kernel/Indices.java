package io.sluice.filter.kernel;

import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.Floats;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** The set of elements with values, in every form, computed in the simplest way. */
final class Indices {
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private Indices() {}

    /** Creates a random set of any density; one of three has clusters, one of four has rows. */
    static boolean[] random(SplittableRandom random, int elements) {
        if (random.nextInt(4) == 0) {
            return rows(random, elements);
        }
        boolean[] present = new boolean[elements];
        double density = Math.pow(random.nextDouble(), 4) * 1.05;
        boolean clustered = random.nextInt(3) == 0;
        for (int i = 0; i < elements; i++) {
            double here = clustered && i / 100 % 2 == 0 ? density / 50 : density;
            present[i] = random.nextDouble() < here;
        }
        return present;
    }

    private static boolean[] rows(SplittableRandom random, int elements) {
        boolean[] present = new boolean[elements];
        int width = random.nextInt(1, 150);
        double density = random.nextDouble();
        boolean here = false;
        for (int i = 0; i < elements; i++) {
            here = i % width == 0 ? random.nextDouble() < density : here;
            present[i] = here;
        }
        return present;
    }

    /** The boundaries of runs, less one of the end. */
    static MemorySegment boundaries(boolean[] present) {
        boolean[] marks = new boolean[present.length];
        for (int i = 0; i < present.length; i++) {
            marks[i] = present[i] != (i > 0 && present[i - 1]);
        }
        return deltas(marks);
    }

    static int count(boolean[] present) {
        int count = 0;
        for (boolean one : present) {
            count += one ? 1 : 0;
        }
        return count;
    }

    static MemorySegment bitmap(boolean[] present) {
        MemorySegment bitmap = Floats.room(BlockFormat.bitmapLength(present.length), 0);
        for (int i = 0; i < present.length; i++) {
            long word = i / 64 * 8L;
            bitmap.set(U64, word, bitmap.get(U64, word) | (present[i] ? 1L << i : 0));
        }
        return bitmap;
    }

    static MemorySegment indices(boolean[] present) {
        MemorySegment indices = Floats.room(2L * count(present), 0);
        int k = 0;
        for (int i = 0; i < present.length; i++) {
            if (present[i]) {
                indices.set(U16, 2L * k++, (short) i);
            }
        }
        return indices;
    }

    static MemorySegment deltas(boolean[] present) {
        MemorySegment deltas = Floats.room(2L * count(present), 0);
        int k = 0;
        int previous = -1;
        for (int i = 0; i < present.length; i++) {
            if (present[i]) {
                deltas.set(U16, 2L * k++, (short) (i - previous - 1));
                previous = i;
            }
        }
        return deltas;
    }

    static MemorySegment spread(boolean[] present, MemorySegment values) {
        MemorySegment spread = Floats.room(4L * present.length, 0);
        int k = 0;
        for (int i = 0; i < present.length; i++) {
            spread.set(F32, 4L * i, present[i] ? values.get(F32, 4L * k++) : 0.0f);
        }
        return spread;
    }
}
