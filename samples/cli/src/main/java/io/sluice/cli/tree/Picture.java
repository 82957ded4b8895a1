package io.sluice.cli.tree;

import java.awt.Color;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** A drawing of boxes and lines as SVG. */
final class Picture {
    /** Height of a box. */
    static final double BOX = 18;

    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final String LETTERS = "10";
    private static final double INDENT = 4;
    private static final double BASELINE = 13;
    private static final double LETTER_WIDTH = 6.2;

    private final StringWriter text = new StringWriter();
    private final XMLStreamWriter xml;
    private double width;
    private double height;

    Picture() {
        try {
            xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
        } catch (XMLStreamException e) {
            throw new IllegalStateException("this JDK writes no XML", e);
        }
    }

    /** Refuses a path with an extension other than {@code .svg}, or in a folder that does not exist. */
    static void check(String option, Path file) {
        if (file == null) {
            return;
        }
        if (!file.toString().toLowerCase(Locale.ROOT).endsWith(".svg")) {
            throw new IllegalArgumentException(option + " " + file + ": expected a name ending in .svg");
        }
        checkFolder(option, file);
    }

    /** Refuses a path in a folder that does not exist. */
    static void checkFolder(String option, Path file) {
        if (file != null && !Files.isDirectory(file.toAbsolutePath().getParent())) {
            throw new IllegalArgumentException(option + " " + file + ": the folder "
                    + file.toAbsolutePath().getParent() + " does not exist");
        }
    }

    /** Estimated width of a text; it needs no fonts, because it does not measure letters. */
    static double width(String text) {
        return 2 * INDENT + LETTER_WIDTH * text.length();
    }

    /** Draws a box with a text in it. */
    void box(double x, double y, double boxWidth, String label, Color fill) {
        element(
                "rect",
                null,
                "x",
                number(x),
                "y",
                number(y),
                "width",
                number(boxWidth),
                "height",
                number(BOX),
                "fill",
                hex(fill),
                "stroke",
                hex(Color.DARK_GRAY));
        text(x + INDENT, y + BASELINE, label);
        reach(x + boxWidth, y + BOX);
    }

    /** Writes a text that begins at a point of its baseline. */
    void text(double x, double y, String label) {
        element("text", label, "x", number(x), "y", number(y));
        reach(x + width(label), y + INDENT);
    }

    /** Draws a line. */
    void line(double fromX, double fromY, double toX, double toY) {
        element(
                "line",
                null,
                "x1",
                number(fromX),
                "y1",
                number(fromY),
                "x2",
                number(toX),
                "y2",
                number(toY),
                "stroke",
                hex(Color.GRAY));
    }

    private void element(String name, String contents, String... attributes) {
        try {
            xml.writeStartElement(name);
            for (int i = 0; i < attributes.length; i += 2) {
                xml.writeAttribute(attributes[i], attributes[i + 1]);
            }
            if (contents != null) {
                xml.writeCharacters(contents);
            }
            xml.writeEndElement();
            xml.writeCharacters("\n");
        } catch (XMLStreamException e) {
            throw new IllegalStateException("an element " + name + " cannot be written to memory", e);
        }
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String hex(Color color) {
        return "#%06x".formatted(color.getRGB() & 0xFFFFFF);
    }

    private void reach(double x, double y) {
        width = Math.max(width, x);
        height = Math.max(height, y);
    }

    /** Writes a drawing to a file. */
    static void write(Path file, Picture picture) throws IOException {
        String size = "width=\"" + number(picture.width + BOX) + "\" height=\"" + number(picture.height + BOX) + "\"";
        Files.writeString(
                file,
                "<svg xmlns=\"" + SVG + "\" " + size + " font-family=\"sans-serif\" font-size=\"" + LETTERS + "\">\n"
                        + picture.text + "</svg>\n");
    }
}
