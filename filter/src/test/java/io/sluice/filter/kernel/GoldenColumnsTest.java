package io.sluice.filter.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.codecs.RiceDeltas;
import io.sluice.codecs.RunBoundaries;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.filter.Floats;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the kernels with the golden blocks of docs/protocol.md, which an independent implementation made from the
 * documentation alone.
 */
class GoldenColumnsTest {
    private static final Kernels[] TWINS = {Kernels.vector(), Kernels.scalar()};

    /** One line of a file of blocks. */
    record Golden(
            String name, BlockFormat format, ValueType type, int elements, int[] indices, int[] values, byte[] block) {
        static Golden parse(String line) {
            String[] fields = line.split(" ");
            return new Golden(
                    fields[0],
                    BlockFormat.valueOf(fields[1]),
                    ValueType.valueOf(fields[2]),
                    Integer.parseInt(fields[3]),
                    numbers(fields[4], 10),
                    numbers(fields[5], 16),
                    fields[6].equals("-") ? new byte[0] : HexFormat.of().parseHex(fields[6]));
        }

        private static int[] numbers(String field, int radix) {
            return field.equals("-")
                    ? new int[0]
                    : List.of(field.split(",")).stream()
                            .mapToInt(number -> Integer.parseUnsignedInt(number, radix))
                            .toArray();
        }

        int count() {
            return values.length;
        }

        MemorySegment inMemory() {
            return Floats.room(block.length, 0).copyFrom(MemorySegment.ofArray(block));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** The blocks whose columns follow from the values alone. */
    static List<Golden> blocks() {
        return read("/golden/blocks.txt").stream()
                .filter(golden -> golden.type != ValueType.LEVELS)
                .toList();
    }

    static List<Golden> readableBlocks() {
        List<Golden> all = new java.util.ArrayList<>(read("/golden/blocks.txt"));
        all.addAll(read("/golden/loose-blocks.txt"));
        return all;
    }

    private static List<Golden> read(String resource) {
        return lines(resource).stream().map(Golden::parse).toList();
    }

    private static List<String> lines(String resource) {
        try (InputStream stream = GoldenColumnsTest.class.getResourceAsStream(resource);
                BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.US_ASCII))) {
            return reader.lines().filter(line -> !line.startsWith("#")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("readableBlocks")
    void decodes(Golden golden) {
        MemorySegment block = golden.inMemory();
        int indicesLength = RiceDeltas.indicesLength(golden.format, block.address(), golden.elements, golden.count());
        for (Kernels twin : TWINS) {
            if (golden.count() == 0) {
                assertEquals(0, golden.block.length);
                continue;
            }
            MemorySegment values = Floats.room(4L * golden.count() + ValuesKernel.SLACK, 0);
            twin.values().decode(golden.type, block.address() + indicesLength, golden.count(), values.address());
            for (int k = 0; k < golden.count(); k++) {
                assertEquals(
                        Integer.toHexString(golden.values[k]),
                        Integer.toHexString(Floats.bits(values, k)),
                        twin.name() + ", value " + k);
            }
            if (golden.format == BlockFormat.DELTA) {
                MemorySegment deltas = Floats.room(2L * golden.count() + 2L * IndicesKernel.SLACK, 0)
                        .asSlice(IndicesKernel.SLACK);
                twin.indices().unpackDeltas(block.address(), golden.count(), deltas.address());
                int previous = -1;
                for (int k = 0; k < golden.count(); k++) {
                    previous += 1 + Short.toUnsignedInt(deltas.getAtIndex(ValueLayout.JAVA_SHORT, k));
                    assertEquals(golden.indices[k], previous, twin.name() + ", index " + k);
                }
            }
            if (golden.format == BlockFormat.RUNS) {
                assertAddsWhereItShould(golden, twin, block.address());
            }
        }
    }

    /** Adds the number of each value to the elements of the runs. */
    private static void assertAddsWhereItShould(Golden golden, Kernels twin, long column) {
        int boundaries = RunBoundaries.count(column);
        MemorySegment deltas =
                Floats.room(2L * boundaries + 2L * IndicesKernel.SLACK, 0).asSlice(IndicesKernel.SLACK);
        twin.indices().unpackDeltas(column + RunBoundaries.HEADER_LENGTH, boundaries, deltas.address());
        MemorySegment numbers = Floats.room(4L * golden.count(), 0);
        float[] expected = new float[golden.elements];
        for (int k = 0; k < golden.count(); k++) {
            numbers.setAtIndex(ValueLayout.JAVA_FLOAT, k, k + 1);
            expected[golden.indices[k]] = k + 1;
        }
        MemorySegment target = Floats.room(4L * golden.elements, 0);
        twin.add().runs(deltas.address(), boundaries, numbers.address(), golden.elements, target.address());
        assertArrayEquals(expected, target.toArray(ValueLayout.JAVA_FLOAT), twin.name());
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void encodes(Golden golden) {
        int indicesLength =
                RiceDeltas.indicesLength(golden.format, golden.inMemory().address(), golden.elements, golden.count());
        for (Kernels twin : TWINS) {
            if (golden.count() == 0) {
                continue;
            }
            MemorySegment values = Floats.room(4L * golden.count() + ValuesKernel.SLACK, 0);
            for (int k = 0; k < golden.count(); k++) {
                values.setAtIndex(ValueLayout.JAVA_INT, k, golden.values[k]);
            }
            MemorySegment column = Floats.room(5L * golden.count() + 8 + ValuesKernel.SLACK, 0);
            int length = twin.values().encode(golden.type, values.address(), golden.count(), column.address());
            assertArrayEquals(
                    java.util.Arrays.copyOfRange(golden.block, indicesLength, golden.block.length),
                    column.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE),
                    twin.name());
            if (golden.format == BlockFormat.DELTA) {
                assertArrayEquals(
                        java.util.Arrays.copyOf(golden.block, indicesLength), deltas(twin, golden), twin.name());
            }
            if (golden.format == BlockFormat.RUNS) {
                assertArrayEquals(
                        java.util.Arrays.copyOf(golden.block, indicesLength), runs(twin, golden), twin.name());
            }
        }
    }

    private static byte[] deltas(Kernels twin, Golden golden) {
        long bytes = 2L * golden.count() + 2L * IndicesKernel.SLACK;
        MemorySegment indices = Floats.room(bytes, 0).asSlice(IndicesKernel.SLACK);
        for (int k = 0; k < golden.count(); k++) {
            indices.setAtIndex(ValueLayout.JAVA_SHORT, k, (short) golden.indices[k]);
        }
        MemorySegment column = Floats.room(bytes + golden.elements, 0);
        int length = twin.indices().packDeltas(indices.address(), golden.count(), golden.elements, column.address());
        return column.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static byte[] runs(Kernels twin, Golden golden) {
        boolean[] present = new boolean[golden.elements];
        for (int index : golden.indices) {
            present[index] = true;
        }
        MemorySegment bitmap = Indices.bitmap(present);
        int boundaries = twin.indices().boundaries(bitmap.address(), golden.elements, golden.elements);
        MemorySegment indices =
                Floats.room(2L * boundaries + 2L * IndicesKernel.SLACK, 0).asSlice(IndicesKernel.SLACK);
        MemorySegment column = Floats.room(golden.elements / 4 + 2L * boundaries + 28, 0);
        int length = twin.indices()
                .packRuns(bitmap.address(), golden.elements, boundaries, indices.address(), column.address());
        return column.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    static List<String> roundings() {
        return lines("/golden/roundings.txt");
    }

    @ParameterizedTest
    @MethodSource("roundings")
    void rounds(String line) {
        String[] fields = line.split(" ");
        int bits = Integer.parseUnsignedInt(fields[1], 16);
        String expected = fields[2];
        for (Kernels twin : TWINS) {
            if (fields[0].equals("BF16") && isBeyondBf16(bits)) {
                assertNotSent(twin, bits);
                continue;
            }
            int half = fields[0].equals("F16") ? binary16(twin, bits) : bfloat16(twin, bits);
            assertEquals(expected, HexFormat.of().toHexDigits((short) half), twin.name());
        }
    }

    /** Converts a value in all lanes of a register and in the rest after it. */
    private static int binary16(Kernels twin, int bits) {
        int count = 17;
        MemorySegment values = Floats.room(4L * count + ValuesKernel.SLACK, 0);
        for (int k = 0; k < count; k++) {
            values.setAtIndex(ValueLayout.JAVA_INT, k, bits);
        }
        MemorySegment column = Floats.room(2L * count + ValuesKernel.SLACK, 0);
        twin.values().encode(ValueType.F16, values.address(), count, column.address());
        short first = column.getAtIndex(ValueLayout.JAVA_SHORT, 0);
        for (int k = 1; k < count; k++) {
            assertEquals(first, column.getAtIndex(ValueLayout.JAVA_SHORT, k));
        }
        return first;
    }

    private static boolean isBeyondBf16(int bits) {
        return Math.abs(Float.intBitsToFloat(bits)) > ThresholdKernel.GREATEST_BF16;
    }

    private static void assertNotSent(Kernels twin, int bits) {
        MemorySegment residual = Floats.room(4, 0);
        residual.set(ValueLayout.JAVA_INT, 0, bits);
        MemorySegment room = Floats.room(16, 0);
        assertEquals(
                0, twin.split().filterResidual(residual.address(), 1, 0, true, room.address(), room.address() + 8));
        assertEquals(bits, Floats.bits(residual, 0), "left alone");
    }

    private static int bfloat16(Kernels twin, int bits) {
        int elements = 65;
        MemorySegment residual = Floats.room(4L * elements, 0);
        for (int i = 0; i < elements; i++) {
            residual.setAtIndex(ValueLayout.JAVA_INT, i, bits);
        }
        MemorySegment bitmap = Floats.room(16, 0);
        MemorySegment values = Floats.room(4L * elements, 0);
        int count =
                twin.split().filterResidual(residual.address(), elements, 0, true, bitmap.address(), values.address());
        if (count == 0) {
            assertEquals(0, bits << 1, "only zeros are not sent");
            return bits >>> 16;
        }
        assertEquals(elements, count);
        int first = Floats.bits(values, 0);
        for (int k = 1; k < count; k++) {
            assertEquals(first, Floats.bits(values, k));
        }
        return first >>> 16;
    }
}
