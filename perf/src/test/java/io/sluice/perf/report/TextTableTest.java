package io.sluice.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TextTableTest {
    @Test
    void columnsAreAsWideAsWhatIsInThem() {
        TextTable table = new TextTable(1, "name", "n");
        table.add("a", "12,345");
        table.add("longer", TextTable.cell("%.1f", null));
        StringWriter text = new StringWriter();
        table.print(new PrintWriter(text, true));
        assertEquals(
                List.of("  name         n", "  a       12,345", "  longer       -"),
                text.toString().lines().toList());
    }

    @Test
    void sharesHaveNoExponent() {
        assertEquals("0.0005", TextTable.share(5e-4));
        assertEquals("1", TextTable.share(1.0));
    }

    @Test
    void linesHaveAsManyCellsAsThereAreHeadings() {
        TextTable table = new TextTable(1, "name", "n");
        assertThrows(IllegalArgumentException.class, () -> table.add("a"));
    }
}
