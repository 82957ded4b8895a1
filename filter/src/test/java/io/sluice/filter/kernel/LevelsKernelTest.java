package io.sluice.filter.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Levels;
import io.sluice.codecs.Property;
import io.sluice.codecs.api.ValueType;
import io.sluice.filter.Floats;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The twins give the same bits, write nowhere else, and agree with a second implementation. */
class LevelsKernelTest {
    private static final List<Kernels> TWINS = List.of(Kernels.vector(), Kernels.scalar());
    private static final int[] WIDTHS = {0, 1, 0, 2};

    /** A column that golden.py has packed. */
    record Golden(String name, int kind, int width, int group, int[] scales, int[] numbers, byte[] column) {
        static Golden parse(String line) {
            String[] words = line.split(" ");
            return new Golden(
                    words[0],
                    Integer.parseInt(words[1]),
                    Integer.parseInt(words[2]),
                    Integer.parseInt(words[3]),
                    Arrays.stream(words[4].split(","))
                            .mapToInt(scale -> Integer.parseUnsignedInt(scale, 16))
                            .toArray(),
                    Arrays.stream(words[5].split(","))
                            .mapToInt(Integer::parseInt)
                            .toArray(),
                    HexFormat.of().parseHex(words[6]));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Golden> columns() throws IOException {
        try (InputStream stream = LevelsKernelTest.class.getResourceAsStream("/golden/levels.txt")) {
            String text = new String(stream.readAllBytes(), StandardCharsets.US_ASCII);
            return text.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(Golden::parse)
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("columns")
    void packsTheGoldenColumns(Golden golden) {
        int count = golden.numbers.length;
        MemorySegment numbers = Floats.room(4L * count + LevelsKernel.SLACK, 0);
        MemorySegment.copy(golden.numbers, 0, numbers, ValueLayout.JAVA_INT, 0, count);
        int offset = Levels.numbersOffset(golden.kind, golden.group, count);
        for (Kernels twin : TWINS) {
            MemorySegment column = Floats.room(golden.column.length + LevelsKernel.SLACK, 0);
            Levels.write(column.address(), golden.kind, golden.width, golden.group);
            MemorySegment.copy(
                    golden.scales,
                    0,
                    column,
                    ValueLayout.JAVA_INT_UNALIGNED,
                    Levels.HEADER_LENGTH,
                    golden.scales.length);
            twin.levels().pack(golden.kind, golden.width, numbers.address(), count, column.address() + offset);
            assertEquals(golden.column.length, Levels.length(column.address(), count));
            assertArrayEquals(
                    golden.column, column.asSlice(0, golden.column.length).toArray(ValueLayout.JAVA_BYTE), twin.name());
        }
    }

    @Test
    void twinsPackAndDecodeTheSame() {
        Property.holds(600, random -> {
            int kind = random.nextInt(1, 4);
            int width = kind == Levels.SIGNED ? random.nextInt(2, 9) : WIDTHS[kind];
            int group = random.nextInt(3) == 0 ? 0 : 32 * random.nextInt(1, 40);
            int count = random.nextInt(4) == 0 ? random.nextInt(1, 5_000) : random.nextInt(1, 400);
            MemorySegment numbers = numbers(random, kind, width, count);
            MemorySegment scales = scales(random, kind, group, count);
            MemorySegment column = null;
            MemorySegment values = null;
            for (Kernels twin : TWINS) {
                int length = Levels.length(kind, width, group, count);
                GuardedRoom packed = new GuardedRoom(length + LevelsKernel.SLACK, random.nextInt(4));
                Levels.write(packed.address(), kind, width, group);
                packed.inside().asSlice(Levels.HEADER_LENGTH).copyFrom(scales);
                int offset = Levels.numbersOffset(kind, group, count);
                twin.levels().pack(kind, width, numbers.address(), count, packed.address() + offset);
                packed.assertUntouchedAround();
                MemorySegment written = packed.inside().asSlice(0, length);
                assertEquals(-1, column == null ? -1 : column.mismatch(written), "twins pack differently");
                column = Floats.copyOf(written, random.nextInt(4));

                GuardedRoom decoded = new GuardedRoom(4L * count + LevelsKernel.SLACK, random.nextInt(4));
                twin.values().decode(ValueType.LEVELS, column.address(), count, decoded.address());
                decoded.assertUntouchedAround();
                MemorySegment read = decoded.inside().asSlice(0, 4L * count);
                assertEquals(-1, values == null ? -1 : values.mismatch(read), "twins decode differently");
                values = read;
            }
            assertValues(kind, width, group, numbers, scales, values, count);
        });
    }

    private static MemorySegment numbers(SplittableRandom random, int kind, int width, int count) {
        MemorySegment numbers = Floats.room(4L * count + LevelsKernel.SLACK, random.nextInt(4));
        int most = kind == Levels.SIGNED ? (1 << width - 1) - 1 : 1;
        for (int k = 0; k < count; k++) {
            int number = random.nextInt(kind == Levels.TWO_VALUED ? 0 : -most, most + 1);
            numbers.set(ValueLayout.JAVA_INT_UNALIGNED, 4L * k, number);
        }
        return numbers;
    }

    private static MemorySegment scales(SplittableRandom random, int kind, int group, int count) {
        int bytes = Levels.numbersOffset(kind, group, count) - Levels.HEADER_LENGTH;
        MemorySegment scales = Floats.room(bytes, 0);
        for (int at = 0; at < bytes; at += Float.BYTES) {
            float scale = (float) (random.nextDouble() * Math.pow(10, random.nextInt(-44, 38)));
            boolean negative = kind == Levels.TWO_VALUED && random.nextBoolean();
            scales.set(ValueLayout.JAVA_FLOAT, at, negative ? -scale : scale);
        }
        return scales;
    }

    private static void assertValues(
            int kind, int width, int group, MemorySegment numbers, MemorySegment scales, MemorySegment values, int n) {
        for (int k = 0; k < n; k++) {
            int number = numbers.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * k);
            long at = (long) (group == 0 ? 0 : k / group) * Levels.scaleLength(kind);
            float value = values.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * k);
            float scale =
                    scales.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at + (kind == Levels.TWO_VALUED ? 4L * number : 0));
            switch (kind) {
                case Levels.TWO_VALUED -> assertEquals(scale, value);
                case Levels.TERNARY -> assertTrue(number * scale == value);
                default -> assertTrue(scale / ((1 << width - 1) - 1) * number == value);
            }
        }
    }

    @Test
    void twinsSumAndDrawTheSame() {
        Property.holds(400, random -> {
            int count = random.nextInt(4) == 0 ? random.nextInt(1, 4_000) : random.nextInt(1, 200);
            MemorySegment values = Floats.room(4L * count, random.nextInt(4));
            Floats.fillNormal(random, values);
            for (int k = random.nextInt(3) * count / 3; k < count; k += random.nextInt(1, 9)) {
                values.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * k, random.nextBoolean() ? 0 : -0.0f);
            }
            float clip = random.nextBoolean() ? Float.MAX_VALUE : random.nextFloat();
            float factor = Math.scalb(1.0f, random.nextInt(-3, 4));
            float levels = random.nextInt(1, 128);
            long key = random.nextLong();
            MemorySegment[] results = new MemorySegment[TWINS.size()];
            long[] counts = new long[TWINS.size()];
            for (int t = 0; t < TWINS.size(); t++) {
                LevelsKernel kernel = TWINS.get(t).levels();
                GuardedRoom sums = new GuardedRoom(4L * 3 * LevelsKernel.SUMS, 0);
                GuardedRoom signs = new GuardedRoom(4L * count, random.nextInt(4));
                GuardedRoom drawn = new GuardedRoom(4L * count, random.nextInt(4));
                counts[t] = kernel.sums(values.address(), count, clip, factor, sums.address());
                kernel.signs(values.address(), count, signs.address());
                kernel.draw(values.address(), count, factor, levels, 127, key, 5, drawn.address());
                sums.assertUntouchedAround();
                signs.assertUntouchedAround();
                drawn.assertUntouchedAround();
                results[t] = Floats.room(8L * count + 4L * 3 * LevelsKernel.SUMS, 0);
                results[t].copyFrom(sums.inside());
                results[t].asSlice(4L * 3 * LevelsKernel.SUMS).copyFrom(signs.inside());
                results[t].asSlice(4L * 3 * LevelsKernel.SUMS + 4L * count).copyFrom(drawn.inside());
            }
            assertEquals(counts[0], counts[1], "counts");
            assertEquals(-1, results[0].mismatch(results[1]), "sums, signs or draws differ");
            assertSums(values, count, clip, factor, counts[0], results[0]);
        });
    }

    private static void assertSums(
            MemorySegment values, int count, float clip, float factor, long counts, MemorySegment sums) {
        double[] expected = new double[3];
        int negatives = 0;
        int present = 0;
        for (int k = 0; k < count; k++) {
            float v = values.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * k);
            double c = Math.min(Math.abs(v), clip) * factor;
            expected[v < 0 ? 1 : 0] += c;
            expected[2] += c * c;
            negatives += v < 0 ? 1 : 0;
            present += v != 0 ? 1 : 0;
        }
        assertEquals(negatives | (long) present << 32, counts);
        for (int sum = 0; sum < 3; sum++) {
            double total = 0;
            for (int lane = 0; lane < LevelsKernel.SUMS; lane++) {
                total += sums.getAtIndex(ValueLayout.JAVA_FLOAT, sum * LevelsKernel.SUMS + lane);
            }
            assertEquals(expected[sum], total, 1e-5 * expected[sum]);
        }
    }

    /** Draws of each key are spread evenly, and those of other keys and counters do not follow them. */
    @Test
    void drawsAreSpreadAndIndependent() {
        int draws = 1 << 16;
        Property.holds(20, random -> {
            long key = random.nextLong();
            long next = Draws.mix(key, 1);
            int[] of = new int[64];
            double[] products = new double[3];
            for (int k = 0; k < draws; k++) {
                int draw = Draws.draw(key, k);
                assertTrue(draw >= 0 && draw < 1 << Draws.BITS);
                of[draw >>> Draws.BITS - 6]++;
                double centred = centred(draw);
                products[0] += centred * centred(Draws.draw(next, k));
                products[1] += centred * centred(Draws.draw(key, k + 1));
                products[2] += centred * centred(Draws.draw(key + 1, k));
            }
            for (int bucket : of) {
                assertEquals(draws / 64.0, bucket, 8 * Math.sqrt(draws / 64.0)); // eight standard deviations
            }
            for (double product : products) {
                assertEquals(0, product, 8 * Math.sqrt(draws) / 12);
            }
        });
    }

    /** A draw as a number from -1/2 to 1/2, whose variance is 1/12. */
    private static double centred(int draw) {
        return draw / (double) (1 << Draws.BITS) - 0.5;
    }

    @Test
    void valuesAloneAreNoColumn() {
        for (Kernels twin : TWINS) {
            MemorySegment room = Floats.room(256, 0);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> twin.values().encode(ValueType.LEVELS, room.address(), 4, room.address() + 128));
        }
    }
}
