package io.sluice.samples.data;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Reads files of {@link HashedMailWriter}, and refuses a file that is truncated or damaged anywhere, with a {@link
 * DataFormatException}, before any of it is used.
 */
final class HashedMailReader {

    private static final int LARGEST = 1 << 26;

    private final String file;
    private final ByteBuffer in;
    private int[] dictionary = {};

    private HashedMailReader(String file, byte[] inflated) {
        this.file = file;
        this.in = ByteBuffer.wrap(inflated);
    }

    /**
     * Reads a whole file.
     *
     * @param file  the file's name, for messages
     * @param bytes content of the whole file
     * @return the e-mails in the file's order
     * @throws DataFormatException if the bytes are not a complete, undamaged file of this format
     */
    static List<HashedMail> read(String file, byte[] bytes) {
        try {
            return new HashedMailReader(file, inflate(file, bytes)).readAll();
        } catch (BufferUnderflowException e) {
            throw new DataFormatException(file + ": ends too early", e);
        }
    }

    /** Inflates to the end, and so checks gzip's own checksum and length before anything is parsed. */
    private static byte[] inflate(String file, byte[] bytes) {
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            byte[] inflated = gzip.readNBytes(LARGEST);
            if (gzip.read() >= 0) {
                throw new DataFormatException(file + ": inflates to more than " + LARGEST + " bytes");
            }
            return inflated;
        } catch (IOException e) {
            throw new DataFormatException(file + ": not a complete and undamaged gzip file", e);
        }
    }

    private List<HashedMail> readAll() {
        expect("magic number", HashedMailWriter.MAGIC, in.getInt());
        expect("version", HashedMailWriter.VERSION, in.get());
        int words = readSize("words", Integer.BYTES);
        int mails = readSize("e-mails", 4);
        dictionary = readDictionary(words);
        List<HashedMail> result = new ArrayList<>(mails);
        for (int i = 0; i < mails; i++) {
            result.add(readMail());
        }
        expect("number of bytes after the last e-mail", 0, in.remaining());
        return List.copyOf(result);
    }

    private int[] readDictionary(int words) {
        int[] hashes = new int[words];
        for (int rank = 0; rank < words; rank++) {
            hashes[rank] = in.getInt();
        }
        return hashes;
    }

    private HashedMail readMail() {
        int flags = in.get();
        if ((flags & ~(HashedMailWriter.SPAM | HashedMailWriter.TEST)) != 0) {
            throw wrong("unknown flags " + flags);
        }
        int words = readSize("words of an e-mail", 2);
        if (words == 0) {
            throw wrong("an e-mail without words");
        }
        int[] hashes = new int[words];
        int next = 0;
        for (int i = 0; i < words; i++) {
            int rank = next + readVarint();
            if (rank < 0 || rank >= dictionary.length) {
                throw wrong("a word beyond the dictionary of " + dictionary.length);
            }
            hashes[i] = dictionary[rank];
            next = rank + 1;
        }
        return new HashedMail(
                isSet(flags, HashedMailWriter.SPAM), isSet(flags, HashedMailWriter.TEST), hashes, readCounts(words));
    }

    private int[] readCounts(int words) {
        int[] counts = new int[words];
        for (int i = 0; i < words; i++) {
            counts[i] = readVarint() + 1;
        }
        return counts;
    }

    /**
     * Reads the number of items that take at least {@code bytesEach} bytes each, so that no larger array is allocated
     * than the file can fill.
     */
    private int readSize(String what, int bytesEach) {
        int size = readVarint();
        if (size > in.remaining() / bytesEach) {
            throw wrong(what + " announced: " + size + ", more than there are bytes for");
        }
        return size;
    }

    /** Reads a number less than {@link Integer#MAX_VALUE}, so that 1 may be added to it. */
    private int readVarint() {
        long value = 0;
        for (int shift = 0; shift <= 28; shift += 7) {
            int b = in.get();
            value |= (b & 0x7FL) << shift;
            if (b >= 0 && value < Integer.MAX_VALUE) {
                return (int) value;
            }
        }
        throw wrong("a number out of range");
    }

    private void expect(String what, int expected, int found) {
        if (found != expected) {
            throw wrong(what + " is " + found + ", expected " + expected);
        }
    }

    private DataFormatException wrong(String what) {
        return new DataFormatException(file + ": " + what + " (before byte " + in.position() + ", inflated)");
    }

    private static boolean isSet(int flags, int flag) {
        return (flags & flag) != 0;
    }
}
