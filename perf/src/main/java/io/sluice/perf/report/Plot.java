package io.sluice.perf.report;

import io.sluice.console.UnavailableException;
import java.awt.Color;
import java.awt.GraphicsEnvironment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Curves as PNG or SVG. Both axes are logarithmic by default. */
public final class Plot {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 560;

    /** Maximum number of points of a curve whose points are marked. */
    private static final int MOST_MARKERS = 20;

    private static final Pattern LONG_FRACTION = Pattern.compile("(\\.\\d\\d)\\d+");

    private final XYChart chart;

    /** Begins a plot. */
    public Plot(String title, String xTitle, String yTitle) {
        chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(xTitle)
                .yAxisTitle(yTitle)
                .build();
        chart.getStyler()
                .setXAxisLogarithmic(true)
                .setYAxisLogarithmic(true)
                .setLegendPosition(LegendPosition.OutsideE)
                .setChartBackgroundColor(Color.WHITE);
    }

    /** Makes the lower axis linear: for counts of equal steps. */
    public Plot linearX() {
        chart.getStyler().setXAxisLogarithmic(false);
        return this;
    }

    /** Makes both axes linear, the vertical one from 0: for values over time. */
    public Plot linear() {
        chart.getStyler().setYAxisLogarithmic(false).setYAxisMin(0.0);
        return linearX();
    }

    /** Refuses a path with an ending other than {@code .png} or {@code .svg}, and a JVM without fonts. */
    public static void check(String option, Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        if (!name.endsWith(".png") && !name.endsWith(".svg")) {
            throw new IllegalArgumentException(option + " " + file + ": expected a name ending in .png or .svg");
        }
        OutputFile.check(option, file);
        try {
            GraphicsEnvironment.getLocalGraphicsEnvironment().getAvailableFontFamilyNames();
        } catch (RuntimeException | LinkageError | InternalError e) {
            throw new UnavailableException(option + " " + file
                    + ": this JVM finds no fonts to draw with; install fontconfig and a font (" + e + ")");
        }
    }

    /** Adds a word before the ending: {@code a.svg} becomes {@code a-speed.svg}. */
    public static Path named(Path file, String word) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return file.resolveSibling(name.substring(0, dot) + "-" + word + name.substring(dot));
    }

    /**
     * Adds a curve. Points at 0, which a logarithmic axis cannot show, are left out, as is a curve without other
     * points.
     *
     * @param points vertical by horizontal values
     */
    public void curve(String name, SortedMap<Double, Double> points) {
        double[] x = drawable(points).mapToDouble(Map.Entry::getKey).toArray();
        double[] y = drawable(points).mapToDouble(Map.Entry::getValue).toArray();
        if (x.length > 0) {
            XYSeries series = chart.addSeries(name, x, y);
            if (x.length > MOST_MARKERS) {
                series.setMarker(SeriesMarkers.NONE);
            }
        }
    }

    private static Stream<Map.Entry<Double, Double>> drawable(SortedMap<Double, Double> points) {
        return points.entrySet().stream().filter(point -> point.getKey() > 0 && point.getValue() > 0);
    }

    /** Whether the plot has no curve. */
    public boolean isEmpty() {
        return chart.getSeriesCollection().isEmpty();
    }

    /**
     * Draws the plot.
     *
     * @param file path whose ending determines the format
     */
    public void write(Path file) throws IOException {
        boolean svg = file.toString().toLowerCase(Locale.ROOT).endsWith(".svg");
        byte[] drawing = ChartEncoder.getBytes(chart, svg ? "svg" : "png");
        OutputFile.write(file, svg ? shortened(drawing) : drawing);
    }

    /** Shortens an SVG: letters are outlines, and coordinates to a hundredth of a pixel make the file half as long. */
    private static byte[] shortened(byte[] svg) {
        String text = new String(svg, StandardCharsets.UTF_8);
        return LONG_FRACTION.matcher(text).replaceAll("$1").getBytes(StandardCharsets.UTF_8);
    }
}
