package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class ClockDigestTest {
    @Test
    void noticesALostARepeatedASwappedAndAChangedFrame() {
        int valid = digest(1, 2, 3);

        assertEquals(valid, digest(1, 2, 3));
        assertNotEquals(valid, digest(1, 2));
        assertNotEquals(valid, digest(2, 3));
        assertNotEquals(valid, digest(1, 2, 3, 3));
        assertNotEquals(valid, digest(1, 3, 2));
        assertNotEquals(valid, digest(1, 2, 4));
        assertNotEquals(digest(), digest(0));
    }

    @Test
    void pairsSwappedAreNoticed() {
        Property.holds(100_000, random -> {
            int a = random.nextInt();
            int b = random.nextInt();
            if (a != b) {
                assertNotEquals(digest(a, b), digest(b, a));
            }
        });
    }

    @Test
    void resetBeginsAnew() {
        ClockDigest digest = new ClockDigest();
        int empty = digest.value();
        digest.add(5);
        digest.reset();

        assertEquals(0, digest.frames());
        assertEquals(empty, digest.value());
    }

    private static int digest(int... checksums) {
        ClockDigest digest = new ClockDigest();
        for (int checksum : checksums) {
            digest.add(checksum);
        }
        assertEquals(checksums.length, digest.frames());
        return digest.value();
    }
}
