package io.sluice.consistency.terms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class TableSpecTest {
    @Test
    void slicesCoverTheTableWithoutGaps() {
        TableSpec spec = new TableSpec(0, "w", 7, 19, 50);
        assertEquals(133, spec.elements());
        assertEquals(3, spec.slices());
        assertEquals(100, spec.sliceStart(2));
        assertEquals(50, spec.sliceLength(1));
        assertEquals(33, spec.sliceLength(2));
    }

    @Test
    void oneElementIsATable() {
        TableSpec spec = new TableSpec(0, "b", 1, 1, 65_536);
        assertEquals(1, spec.slices());
        assertEquals(1, spec.sliceLength(0));
    }

    @Test
    void aTableMayHaveMoreElementsThanAnInt() {
        TableSpec spec = new TableSpec(0, "w", 1 << 20, 1 << 12, 65_536);
        assertEquals(1L << 32, spec.elements());
        assertEquals(1 << 16, spec.slices());
        assertEquals((1L << 32) - 65_536, spec.sliceStart(65_535));
        assertEquals(65_536, spec.sliceLength(65_535));
    }

    @Test
    void nameIsCountedInBytes() {
        assertEquals(1, new TableSpec(0, "n".repeat(255), 1, 1, 1).slices());
        requireRefused(
                "table name '" + "\u00fc".repeat(128) + "' has 256 bytes, expected 1 to 255",
                () -> new TableSpec(0, "\u00fc".repeat(128), 1, 1, 1));
        requireRefused("table name '' has 0 bytes, expected 1 to 255", () -> new TableSpec(0, "", 1, 1, 1));
    }

    @Test
    void badValuesAreRefusedWithValueAndRange() {
        requireRefused("table id is -1, expected 0 to 65534", () -> new TableSpec(-1, "w", 1, 1, 1));
        requireRefused("table id is 65535, expected 0 to 65534", () -> new TableSpec(65_535, "w", 1, 1, 1));
        requireRefused("table w is 0 x 5, expected at least 1 x 1", () -> new TableSpec(0, "w", 0, 5, 1));
        requireRefused("table w is 5 x -2, expected at least 1 x 1", () -> new TableSpec(0, "w", 5, -2, 1));
        requireRefused("slices of table w have 0 elements, expected 1 to 65536", () -> new TableSpec(0, "w", 1, 1, 0));
        requireRefused(
                "slices of table w have 65537 elements, expected 1 to 65536",
                () -> new TableSpec(0, "w", 1, 1, 65_537));
        requireRefused(
                "table w has 4294967296 slices of 1 elements, at most 2147483647 can be numbered: enlarge the slices",
                () -> new TableSpec(0, "w", 1 << 16, 1 << 16, 1));
    }

    private static void requireRefused(String sentence, Executable attempt) {
        assertEquals(
                sentence, assertThrows(IllegalArgumentException.class, attempt).getMessage());
    }
}
