package io.sluice.perf.experiment;

import io.sluice.perf.report.OutputFile;
import io.sluice.perf.report.Plot;
import java.nio.file.Path;

/**
 * Where figures go besides the screen.
 *
 * @param json file for programs; {@code null} for none
 * @param plot file of plots; {@code null} for none
 */
record Output(Path json, Path plot) {
    /** Refuses files that cannot be written: what took minutes must not be lost to a slip. */
    void check() {
        if (json != null) {
            OutputFile.check("--json", json);
        }
        if (plot != null) {
            Plot.check("--plot", plot);
        }
    }
}
