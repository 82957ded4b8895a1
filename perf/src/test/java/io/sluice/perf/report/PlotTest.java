package io.sluice.perf.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PlotTest {
    @TempDir
    private Path folder;

    @BeforeAll
    static void withoutDisplay() {
        System.setProperty("java.awt.headless", "true");
    }

    private static Plot plot() {
        Plot plot = new Plot("speed", "share", "elements a second");
        plot.curve("filter", new TreeMap<>(Map.of(0.0, 9.0, 0.1, 3.0, 0.5, 2.0)));
        return plot;
    }

    @Test
    void isDrawnAsSvg() throws IOException {
        Path file = folder.resolve("plot.svg");
        plot().write(file);
        String svg = Files.readString(file);
        assertTrue(svg.startsWith("<?xml") && svg.strip().endsWith("</svg>"), svg.substring(0, 80));
        assertTrue(svg.contains("<path") || svg.contains("<polyline"), "something is drawn");
        assertFalse(svg.matches("(?s).*\\.\\d{3}.*"), "hundredths of a pixel are enough");
    }

    @Test
    void isDrawnAsPng() throws IOException {
        Path file = folder.resolve("plot.PNG");
        plot().write(file);
        BufferedImage image = ImageIO.read(file.toFile());
        assertEquals(900, image.getWidth());
    }

    @Test
    void aCurveWithNothingAboveZeroIsLeftOut() {
        Plot plot = new Plot("speed", "share", "elements a second");
        plot.curve("nothing", new TreeMap<>(Map.of(0.0, 9.0)));
        assertTrue(plot.isEmpty());
        assertFalse(plot().isEmpty());
    }

    @Test
    void otherEndingsAreRefused() {
        Path file = folder.resolve("plot.pdf");
        String message = assertThrows(IllegalArgumentException.class, () -> Plot.check("--plot", file))
                .getMessage();
        assertTrue(message.endsWith("expected a name ending in .png or .svg"), message);
    }

    @Test
    void aWordIsInsertedBeforeTheExtension() {
        assertEquals(Path.of("a", "b.c-size.svg"), Plot.named(Path.of("a", "b.c.svg"), "size"));
    }
}
