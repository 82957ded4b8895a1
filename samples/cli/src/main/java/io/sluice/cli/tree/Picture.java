package io.sluice.cli.tree;

import de.erichseifert.vectorgraphics2d.Document;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A drawing of boxes and lines as SVG. */
final class Picture {
    /** Height of a box. */
    static final double BOX = 18;

    private static final int LETTERS = 10;
    private static final double INDENT = 4;
    private static final double BASELINE = 13;
    private static final double LETTER_WIDTH = 6.2;

    private final VectorGraphics2D graphics = new VectorGraphics2D();
    private double width;
    private double height;

    Picture() {
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, LETTERS));
        graphics.setStroke(new BasicStroke(1));
    }

    /** Refuses a path with another ending than {@code .svg}, or in a folder that is not there. */
    static void check(String option, Path file) {
        if (file == null) {
            return;
        }
        if (!file.toString().toLowerCase(Locale.ROOT).endsWith(".svg")) {
            throw new IllegalArgumentException(option + " " + file + ": expected a name ending in .svg");
        }
        checkFolder(option, file);
    }

    /** Refuses a path in a folder that is not there. */
    static void checkFolder(String option, Path file) {
        if (file != null && !Files.isDirectory(file.toAbsolutePath().getParent())) {
            throw new IllegalArgumentException(option + " " + file + ": the folder "
                    + file.toAbsolutePath().getParent() + " does not exist");
        }
    }

    /** Width that a text needs, about: letters are not measured, so that no fonts are needed. */
    static double width(String text) {
        return 2 * INDENT + LETTER_WIDTH * text.length();
    }

    /** Draws a box with a text in it. */
    void box(double x, double y, double boxWidth, String text, Color fill) {
        graphics.setColor(fill);
        graphics.fill(new Rectangle2D.Double(x, y, boxWidth, BOX));
        graphics.setColor(Color.DARK_GRAY);
        graphics.draw(new Rectangle2D.Double(x, y, boxWidth, BOX));
        text(x + INDENT, y + BASELINE, text);
        reach(x + boxWidth, y + BOX);
    }

    /** Writes a text that begins at a point of its baseline. */
    void text(double x, double y, String text) {
        graphics.setColor(Color.BLACK);
        graphics.drawString(text, (float) x, (float) y);
        reach(x + width(text), y + INDENT);
    }

    /** Draws a line. */
    void line(double fromX, double fromY, double toX, double toY) {
        graphics.setColor(Color.GRAY);
        graphics.draw(new Line2D.Double(fromX, fromY, toX, toY));
    }

    private void reach(double x, double y) {
        width = Math.max(width, x);
        height = Math.max(height, y);
    }

    /** Writes a drawing to a file in one go. */
    static void write(Path file, Picture picture) throws IOException {
        PageSize page = new PageSize(picture.width + BOX, picture.height + BOX);
        Document document = new SVGProcessor().getDocument(picture.graphics.getCommands(), page);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        document.writeTo(bytes);
        Files.write(file, bytes.toByteArray());
    }
}
