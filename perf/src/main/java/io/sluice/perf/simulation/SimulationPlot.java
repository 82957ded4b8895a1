package io.sluice.perf.simulation;

import io.sluice.perf.report.Plot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Draws simulated broadcasts: a curve for each shape over the number of workers, a picture for each kind of racks. */
final class SimulationPlot {
    private SimulationPlot() {}

    /**
     * Draws rows.
     *
     * @param rows that were simulated
     * @param file to which {@code -workers} is added, and from the second kind of racks on which one
     * @return the files that were written
     * @throws IOException if one cannot be written
     */
    static List<Path> write(List<SimulationRow> rows, Path file) throws IOException {
        Map<String, List<SimulationRow>> byRacks = new LinkedHashMap<>();
        for (SimulationRow row : rows) {
            byRacks.computeIfAbsent(row.racks(), _ -> new ArrayList<>()).add(row);
        }
        List<Path> drawn = new ArrayList<>();
        for (List<SimulationRow> alike : byRacks.values()) {
            String word =
                    "workers" + (drawn.isEmpty() ? "" : "-" + alike.getFirst().oversubscription());
            Path path = Plot.named(file, word.replaceFirst("\\.0$", ""));
            plot(alike).write(path);
            drawn.add(path);
        }
        return drawn;
    }

    private static Plot plot(List<SimulationRow> rows) {
        Map<String, SortedMap<Double, Double>> curves = new LinkedHashMap<>();
        for (SimulationRow row : rows) {
            curves.computeIfAbsent(row.shape(), _ -> new TreeMap<>()).put((double) row.workers(), row.ratioToWire());
        }
        SimulationRow first = rows.getFirst();
        String title = String.format("Broadcasts of %,d servers, simulated%s", first.servers(), first.racks());
        Plot plot = new Plot(title, "workers", "time over that of one link (S/B)");
        curves.forEach(plot::curve);
        return plot;
    }
}
