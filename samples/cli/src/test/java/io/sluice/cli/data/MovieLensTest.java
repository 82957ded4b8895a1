package io.sluice.cli.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.samples.data.DataFormatException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MovieLensTest {
    private static final byte[] FRAME = RBytes.version3()
            .namedList(4)
            .integers(31, 1_029)
            .integers(1, 2)
            .ints(14, 2)
            .reals(2.5, 4)
            .integers(1_260_759_144, 1_260_759_179)
            .names("movieId", "userId", "rating", "timestamp")
            .bytes();

    @TempDir
    private Path folder;

    private Path database;
    private Path target;

    @BeforeEach
    void makeFolders() throws IOException {
        database = Files.createDirectories(folder.resolve("package/usr/lib/R/site-library/dslabs/data"));
        target = Files.createDirectory(folder.resolve("target"));
    }

    /** Writes a database with one value after a few bytes of another. */
    private void write(String name, byte[] value, int compressed, int size) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.writeBytes(new byte[] {1, 2, 3});
        block.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(size).array());
        try (OutputStream packed = new DeflaterOutputStream(block)) {
            packed.write(value);
        }
        Files.write(database.resolve("Rdata.rdb"), block.toByteArray());
        writeIndex(name, 3, block.size() - 3, compressed);
    }

    private void writeIndex(String name, int offset, int length, int compressed) throws IOException {
        byte[] index = RBytes.version3()
                .namedList(2)
                .namedList(1)
                .integers(offset, length)
                .names(name)
                .integers(compressed)
                .namesAgain("variables", "compressed")
                .bytes();
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(database.resolve("Rdata.rdx")))) {
            out.write(index);
        }
    }

    private String refusal() {
        return assertThrows(DataFormatException.class, () -> MovieLens.convert(folder.resolve("package"), target))
                .getMessage();
    }

    @Test
    void isConvertedToLinesOfText() throws IOException {
        write("movielens", FRAME, 1, FRAME.length);
        MovieLens.convert(folder.resolve("package"), target);
        assertEquals(
                "userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n2,1029,4.0,1260759179\n",
                Files.readString(target.resolve("ratings.csv")));
    }

    @Test
    void isRefusedIfItIsMissing() throws IOException {
        write("murders", FRAME, 1, FRAME.length);
        assertTrue(refusal().endsWith("Rdata.rdx: there is no element movielens"));
    }

    @Test
    void isRefusedWithAnotherCompression() throws IOException {
        write("movielens", FRAME, 3, FRAME.length);
        assertTrue(refusal().endsWith("its blocks are not packed with zlib"));
    }

    @Test
    void isRefusedIfItIsDamaged() throws IOException {
        write("movielens", FRAME, 1, FRAME.length + 1);
        assertTrue(refusal().contains("a block has " + FRAME.length + " bytes, expected " + (FRAME.length + 1)));
        for (int[] place : new int[][] {{-1, 10}, {0, -1}, {0, 3}, {0, 1 << 20}, {Integer.MAX_VALUE, 8}}) {
            writeIndex("movielens", place[0], place[1], 1);
            String block = "a block of " + place[1] + " bytes at offset " + place[0];
            String reason = place[0] < 0 || place[1] < 4 ? ": expected at least 4 bytes at offset 0" : " exceeds the ";
            assertTrue(refusal().contains(block + reason), refusal());
        }
        Files.write(database.resolve("Rdata.rdx"), new byte[] {1, 2, 3, 4});
        assertTrue(refusal().contains("Rdata.rdx: "));
    }

    @Test
    void isRefusedWithOtherColumns() throws IOException {
        byte[] other =
                RBytes.version3().namedList(1).integers(1).names("userId").bytes();
        write("movielens", other, 1, other.length);
        assertTrue(refusal().endsWith("movielens: there is no element movieId"));
    }
}
