package io.sluice.consistency.worker;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Property;
import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RowBufferTest {
    private static final int ADDS = 3_000;

    private static MemorySegment residual(TableSpec spec) {
        return OffHeap.allocate(spec.elements() * Float.BYTES);
    }

    private static float[] row(RowBuffer buffer, TableSpec spec, int row) {
        float[] values = new float[spec.columns()];
        buffer.addTo(row, values);
        return values;
    }

    private static List<Integer> move(RowBuffer buffer, MemorySegment residual) {
        List<Integer> begun = new ArrayList<>();
        List<Integer> ended = new ArrayList<>();
        buffer.move(residual, begun::add, ended::add);
        assertEquals(begun, ended);
        return ended;
    }

    @Test
    void movesTouchedSlicesOnly() {
        TableSpec spec = new TableSpec(0, "w", 100, 10, 15); // 67 slices: row 1 lies in two of them
        RowBuffer buffer = new RowBuffer(spec);
        MemorySegment residual = residual(spec);
        assertEquals(List.of(), move(buffer, residual));
        float[] deltas = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        buffer.add(1, deltas);
        buffer.add(99, new int[] {9, 9, 0}, new float[] {1, 2, 50, 7}, 2);
        assertArrayEquals(deltas, row(buffer, spec, 1));
        assertEquals(3, row(buffer, spec, 99)[9]);
        assertEquals(List.of(0, 1, 66), move(buffer, residual));
        assertArrayEquals(new float[10], row(buffer, spec, 1));
        residual.setAtIndex(JAVA_FLOAT, 0, 100);
        for (int column = 0; column < 10; column++) {
            assertEquals(deltas[column], residual.getAtIndex(JAVA_FLOAT, 10 + column));
        }
        assertEquals(3, residual.getAtIndex(JAVA_FLOAT, 999));
        assertEquals(0, residual.getAtIndex(JAVA_FLOAT, 990), "only two of the values are given");
        buffer.add(0, deltas);
        assertEquals(List.of(0), move(buffer, residual));
        assertEquals(101, residual.getAtIndex(JAVA_FLOAT, 0), "it is added to what is there");
        assertEquals(List.of(), move(buffer, residual));
    }

    /** Each of several threads adds 1 to all columns of random rows, while another moves, and one reads. */
    @Test
    void losesNoIncrementAndShowsNoHalf() {
        Property.holds(6, random -> {
            int columns = 1 + random.nextInt(40);
            boolean whole = random.nextBoolean(); // a row in two slices moves in two steps
            int slice = whole ? columns * (1 + random.nextInt(20)) : 1 + random.nextInt(300);
            TableSpec spec = new TableSpec(0, "w", 1 + random.nextInt(3_000), columns, slice);
            RowBuffer buffer = new RowBuffer(spec);
            MemorySegment residual = residual(spec);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            AtomicInteger live = new AtomicInteger(3);
            List<SplittableRandom> randoms = List.of(random.split(), random.split(), random.split());
            int[][] counts = new int[3][spec.rows()];
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int thread = i;
                threads.add(Thread.ofPlatform().start(() -> {
                    add(spec, buffer, randoms.get(thread), counts[thread]);
                    live.decrementAndGet();
                }));
            }
            if (whole) {
                threads.add(Thread.ofPlatform().start(() -> read(spec, buffer, live, failure)));
            }
            while (live.get() > 0) {
                move(buffer, residual);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            move(buffer, residual);
            assertNull(failure.get());
            for (int row = 0; row < spec.rows(); row++) {
                int expected = counts[0][row] + counts[1][row] + counts[2][row];
                for (int column = 0; column < spec.columns(); column++) {
                    assertEquals(
                            expected,
                            residual.getAtIndex(JAVA_FLOAT, (long) row * spec.columns() + column),
                            "row " + row);
                }
            }
        });
    }

    private static void add(TableSpec spec, RowBuffer buffer, SplittableRandom random, int[] counts) {
        float[] ones = new float[spec.columns()];
        int[] columns = new int[spec.columns()];
        for (int column = 0; column < columns.length; column++) {
            columns[column] = columns.length - 1 - column;
            ones[column] = 1;
        }
        for (int i = 0; i < ADDS; i++) {
            int row = random.nextInt(1 + random.nextInt(spec.rows())); // the first rows most often
            if (random.nextBoolean()) {
                buffer.add(row, ones);
            } else {
                buffer.add(row, columns, ones, columns.length);
            }
            counts[row]++;
        }
    }

    private static void read(TableSpec spec, RowBuffer buffer, AtomicInteger live, AtomicReference<Throwable> failure) {
        try {
            for (int i = 0; live.get() > 0; i++) {
                float[] values = row(buffer, spec, i % Math.min(8, spec.rows()));
                for (float value : values) {
                    assertEquals(values[0], value);
                }
            }
        } catch (Throwable e) {
            failure.set(e);
        }
    }
}
