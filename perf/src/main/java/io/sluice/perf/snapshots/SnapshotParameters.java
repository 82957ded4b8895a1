package io.sluice.perf.snapshots;

import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Settings;
import java.nio.file.Path;

/** Parameters of both experiments with snapshots. */
final class SnapshotParameters {
    static final int MOST_CLOCKS = 10_000;
    static final Parameter<Integer> PARAMS =
            Parameter.whole("params", 4_000_000, 10_000, 1 << 27, "Parameters of the model, on each server");
    static final Parameter<Integer> INTERVAL =
            Parameter.whole("interval", 8, 1, MOST_CLOCKS, "Clocks between two snapshots");
    static final Parameter<Double> CHANGED = Parameter.share(
            "changed", 0.1, "Share of the parameters, in blocks of 4 KiB, that training changes; 1 is a dense model");
    static final Parameter<Path> FOLDER = Parameter.path(
            "folder", "DIR", "Parent of the temporary folder for snapshots; by default that of temporary files");

    private SnapshotParameters() {}

    /** The folder, after a check that snapshots can be written to it. */
    static Path folder(Settings settings) {
        Path given = settings.get(FOLDER);
        Path folder = given == null ? Path.of(System.getProperty("java.io.tmpdir")) : given;
        new TemporarySnapshotFolder(folder).close(); // refuses one that cannot be written to
        return folder;
    }
}
