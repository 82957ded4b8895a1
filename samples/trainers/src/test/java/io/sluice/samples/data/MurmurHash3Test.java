package io.sluice.samples.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MurmurHash3Test {

    @Test
    void agreesWithPublishedValues() {
        assertEquals(0, hash(""));
        assertEquals(0xBA6BD213, hash("test"));
        assertEquals(0xC0363E43, hash("Hello, world!"));
        assertEquals(0x2E4FF723, hash("The quick brown fox jumps over the lazy dog"));
    }

    private static int hash(String text) {
        return MurmurHash3.hash(text.getBytes(StandardCharsets.US_ASCII));
    }
}
