package io.sluice.perf.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TableSizeTest {
    @ParameterizedTest
    @CsvSource({"64mib,16777216", "64MiB,16777216", "4kib,1024", "1gib,268435456", "2^24,16777216", "1000000,1000000"})
    void isBytesOrElements(String text, long elements) {
        assertEquals(new TableSize(elements), TableSize.parse("--size", text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "64", "64mb", "-1mib", "2^9", "2^29", "2^64", "2gib", "3kib", "9999999gib", "1e6", "∞"})
    void anythingElseIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> TableSize.parse("--size", text));
    }

    @Test
    void isSaidInMebibytesWhereItCanBe() {
        assertEquals("64mib", new TableSize(1 << 24).words());
        assertEquals("101770 elements", new TableSize(101_770).words());
    }
}
