package io.sluice.perf.experiment;

import io.sluice.perf.report.OutputFile;
import io.sluice.perf.report.Plot;
import java.nio.file.Path;

/**
 * The files for figures besides the screen.
 *
 * @param json file for programs; {@code null} for none
 * @param plot file of plots; {@code null} for none
 */
record Output(Path json, Path plot) {
    /** Refuses files that cannot be written, before measurements of minutes are lost. */
    void check() {
        if (json != null) {
            OutputFile.check("--json", json);
        }
        if (plot != null) {
            Plot.check("--plot", plot);
        }
    }
}
