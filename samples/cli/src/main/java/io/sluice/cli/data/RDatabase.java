package io.sluice.cli.data;

import io.sluice.samples.data.DataFormatException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/**
 * The data of an R package: an index {@code Rdata.rdx}, which gives for each name the position and the length of a
 * block of {@code Rdata.rdb}. A block is the number of its unpacked bytes and a zlib stream of these.
 */
final class RDatabase {
    /** Maximum length of a block: longer than all blocks read here, and small enough for a small heap. */
    private static final int LARGEST = 1 << 28;

    private static final int ZLIB = 1;

    private final Path index;
    private final Path blocks;

    /** Opens a database in a folder. */
    RDatabase(Path folder) {
        index = folder.resolve("Rdata.rdx");
        blocks = folder.resolve("Rdata.rdb");
    }

    /**
     * Reads a value.
     *
     * @param name name of the value
     * @return the value
     * @throws DataFormatException if there is none of this name, or the files are damaged or of another format
     * @throws IOException if they cannot be read
     */
    RValue read(String name) throws IOException {
        try {
            RValue entries = RReader.read(unpacked(new GZIPInputStream(Files.newInputStream(index))));
            int[] way = entries.get("compressed", int[].class);
            if (way.length != 1 || way[0] != ZLIB) {
                throw new IllegalArgumentException("its blocks are not packed with zlib");
            }
            int[] place = entries.get("variables").get(name, int[].class);
            if (place.length != 2) {
                throw new IllegalArgumentException("the place of " + name + " has " + place.length + " numbers");
            }
            return RReader.read(block(place[0], place[1]));
        } catch (IllegalArgumentException | ZipException e) {
            throw new DataFormatException(index + ": " + e.getMessage(), e);
        }
    }

    private byte[] block(int offset, int length) throws IOException {
        byte[] all = Files.readAllBytes(blocks);
        if (offset < 0 || length < Integer.BYTES) {
            throw new IllegalArgumentException("a block of " + length + " bytes at offset " + offset
                    + ": expected at least " + Integer.BYTES + " bytes at offset 0 or later");
        }
        if (offset > all.length - length) {
            throw new IllegalArgumentException("a block of " + length + " bytes at offset " + offset + " exceeds the "
                    + all.length + " bytes of the data");
        }
        int size = ByteBuffer.wrap(all, offset, length).getInt();
        byte[] unpacked = unpacked(
                new InflaterInputStream(new ByteArrayInputStream(all, offset + Integer.BYTES, length - Integer.BYTES)));
        if (unpacked.length != size) {
            throw new IllegalArgumentException("a block has " + unpacked.length + " bytes, expected " + size);
        }
        return unpacked;
    }

    private static byte[] unpacked(InputStream packed) throws IOException {
        try (packed) {
            byte[] bytes = packed.readNBytes(LARGEST);
            if (bytes.length == LARGEST) {
                throw new IllegalArgumentException("a block unpacks to " + LARGEST + " bytes or more, expected fewer");
            }
            return bytes;
        }
    }
}
