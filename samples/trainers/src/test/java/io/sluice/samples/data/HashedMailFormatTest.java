package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class HashedMailFormatTest {

    /**
     * E-mails with their hashes in the order in which a reader returns them, by rank: 7 is in three e-mails, -1 and 5
     * in two, 1000 in one.
     */
    private static final List<HashedMail> MAILS = List.of(
            new HashedMail(true, false, new int[] {7, -1, 1000}, new int[] {1, 300, 128}),
            new HashedMail(false, true, new int[] {7}, new int[] {Integer.MAX_VALUE}),
            new HashedMail(true, true, new int[] {5}, new int[] {2}),
            new HashedMail(false, false, new int[] {7, -1, 5}, new int[] {1, 1, 129}));

    @Test
    void readsWhatItWrote() throws IOException {
        assertSame(MAILS, HashedMailReader.read("f", HashedMailWriter.write(MAILS)));
        assertSame(List.of(), HashedMailReader.read("f", HashedMailWriter.write(List.of())));
    }

    @Test
    void writesTheSameBytesEveryTime() throws IOException {
        assertArrayEquals(HashedMailWriter.write(MAILS), HashedMailWriter.write(MAILS));
    }

    @Test
    void refusesEveryPrefix() throws IOException {
        byte[] bytes = HashedMailWriter.write(MAILS);
        for (int length = 0; length < bytes.length; length++) {
            assertRefused(Arrays.copyOf(bytes, length));
        }
    }

    @Test
    void refusesEveryPrefixOfTheInflatedBytes() throws IOException {
        byte[] inflated = inflate(HashedMailWriter.write(MAILS));
        for (int length = 0; length < inflated.length; length++) {
            assertRefused(deflate(Arrays.copyOf(inflated, length)));
        }
    }

    @Test
    void refusesEveryFlippedBitThatMatters() throws IOException {
        byte[] bytes = HashedMailWriter.write(MAILS);
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertRefusedOrSame(damaged);
        }
    }

    @Test
    void neverFailsOtherwiseOnInflatedBytesThatAreWrong() throws IOException {
        byte[] inflated = inflate(HashedMailWriter.write(MAILS));
        for (int i = 0; i < inflated.length; i++) {
            for (int value = 0; value < 256; value++) {
                byte[] damaged = inflated.clone();
                damaged[i] = (byte) value;
                assertReadOrRefused(deflate(damaged));
            }
        }
    }

    @Test
    void refusesBytesAfterTheLastMail() throws IOException {
        byte[] inflated = inflate(HashedMailWriter.write(MAILS));
        assertRefused(deflate(Arrays.copyOf(inflated, inflated.length + 1)));
    }

    @Test
    void saysWhichFileIsWrongAndHow() throws IOException {
        byte[] inflated = inflate(HashedMailWriter.write(MAILS));
        inflated[4] = 9;
        DataFormatException e = assertRefused(deflate(inflated));
        assertEquals("f: version is 9, expected 1 (before byte 5, inflated)", e.getMessage());
    }

    private static DataFormatException assertRefused(byte[] bytes) {
        DataFormatException e = assertThrows(DataFormatException.class, () -> HashedMailReader.read("f", bytes));
        assertTrue(e.getMessage().startsWith("f: "), e.getMessage());
        return e;
    }

    /** Some bits of gzip's header, such as its time stamp, have no bearing on what a file holds. */
    private static void assertRefusedOrSame(byte[] bytes) {
        try {
            assertSame(MAILS, HashedMailReader.read("f", bytes));
        } catch (DataFormatException e) {
            assertTrue(e.getMessage().startsWith("f: "), e.getMessage());
        }
    }

    private static void assertReadOrRefused(byte[] bytes) {
        try {
            HashedMailReader.read("f", bytes);
        } catch (DataFormatException e) {
            assertTrue(e.getMessage().startsWith("f: "), e.getMessage());
        }
    }

    private static void assertSame(List<HashedMail> expected, List<HashedMail> actual) {
        assertEquals(expected.size(), actual.size());
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i).spam(), actual.get(i).spam());
            assertEquals(expected.get(i).test(), actual.get(i).test());
            assertArrayEquals(expected.get(i).hashes(), actual.get(i).hashes());
            assertArrayEquals(expected.get(i).counts(), actual.get(i).counts());
        }
    }

    private static byte[] inflate(byte[] bytes) throws IOException {
        return new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
    }

    private static byte[] deflate(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        }
        return out.toByteArray();
    }
}
