package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All twins add outer products with the bits of a plain loop, whether row vectors are sparse or dense. */
class OuterProductsTest {
    private static final List<Kernels> TWINS = List.of(Kernels.scalar(), Kernels.vector());

    @Tag("slow")
    @Test
    void haveTheBitsOfAPlainLoop() {
        Property.holds(60, random -> {
            int rows = 1 + random.nextInt(40);
            int columns = 1 + random.nextInt(random.nextBoolean() ? 40 : 3_000);
            int groups = 1 + random.nextInt(12);
            double density = random.nextBoolean() ? random.nextDouble() * 0.2 : random.nextDouble();
            MemorySegment u = vectors(random, groups * rows, 1);
            MemorySegment v = vectors(random, groups * columns, density);
            int used = random.nextInt(groups + 1);
            v.asSlice((long) used * columns * Float.BYTES).fill((byte) 0);
            MemorySegment first = vectors(random, rows * columns, 1);
            float[] expected = first.toArray(JAVA_FLOAT);
            for (int row = 0; row < rows; row++) {
                for (int group = 0; group < groups; group++) {
                    float factor = u.getAtIndex(JAVA_FLOAT, group * rows + row);
                    for (int column = 0; column < columns; column++) {
                        float product = factor * v.getAtIndex(JAVA_FLOAT, group * columns + column);
                        expected[row * columns + column] += product;
                    }
                }
            }
            for (Kernels twin : TWINS) {
                MemorySegment matrix = OffHeap.allocate(first.byteSize()).copyFrom(first);
                OuterProducts products = new OuterProducts(twin, groups, rows, columns);
                assertEquals(true, products.add(u, 0, v, 0, groups, matrix), twin.name());
                assertArrayEquals(expected, matrix.toArray(JAVA_FLOAT), twin.name());
            }
        });
    }

    @Test
    void stateWhatVectorsAndTheirSumTake() {
        int rows = 100;
        int columns = 4_096;
        OuterProducts products = new OuterProducts(Kernels.preferred(), 4, rows, columns);
        MemorySegment u = vectors(new SplittableRandom(1), 4 * rows, 1);
        MemorySegment v = OffHeap.allocate(4L * columns * Float.BYTES);
        MemorySegment matrix = OffHeap.allocate((long) rows * columns * Float.BYTES);
        for (int group = 0; group < 4; group++) {
            for (int i = 0; i < 16; i++) {
                v.setAtIndex(JAVA_FLOAT, group * columns + 16 * i + group / 2, 1); // two groups share their columns
            }
        }
        products.begin();
        products.add(u, 0, v, 0, 4, matrix);
        assertEquals(4 * rows * 4 + 64 * 4 + 64 * (2 + 8) / 8, products.vectorBytes(), "a gap of 256 takes ten bits");
        assertEquals(32 * rows * 4 + 32 * rows * (2 + 7) / 8, products.sumBytes(), "a gap of 128 takes nine bits");
        v.fill((byte) 1);
        products.add(u, 0, v, 0, 4, matrix);
        assertEquals((long) rows * columns * 4, products.sumBytes(), "all elements");
    }

    @Test
    void reportASumThatIsNotFinite() {
        Property.holds(20, random -> {
            int rows = 1 + random.nextInt(5);
            int columns = 1 + random.nextInt(300);
            boolean sparse = random.nextBoolean();
            for (Kernels twin : TWINS) {
                MemorySegment u = vectors(random, rows, 1);
                MemorySegment v = vectors(random, columns, sparse ? 0.02 : 1);
                int row = random.nextInt(rows);
                int column = random.nextInt(columns);
                u.setAtIndex(JAVA_FLOAT, row, Float.MAX_VALUE);
                v.setAtIndex(JAVA_FLOAT, column, 2);
                MemorySegment matrix = OffHeap.allocate((long) rows * columns * Float.BYTES);
                OuterProducts products = new OuterProducts(twin, 1, rows, columns);
                assertEquals(false, products.add(u, 0, v, 0, 1, matrix), twin.name());
                v.setAtIndex(JAVA_FLOAT, column, 0.5f);
                matrix.fill((byte) 0);
                boolean finite = true;
                for (int i = 0; i < columns; i++) {
                    finite &= Float.isFinite(Float.MAX_VALUE * v.getAtIndex(JAVA_FLOAT, i));
                }
                assertEquals(finite, products.add(u, 0, v, 0, 1, matrix), twin.name());
            }
        });
    }

    private static MemorySegment vectors(SplittableRandom random, int floats, double density) {
        MemorySegment vectors = OffHeap.allocate((long) floats * Float.BYTES);
        for (int i = 0; i < floats; i++) {
            if (random.nextDouble() < density) {
                vectors.setAtIndex(JAVA_FLOAT, i, (float) random.nextGaussian());
            }
        }
        return vectors;
    }
}
