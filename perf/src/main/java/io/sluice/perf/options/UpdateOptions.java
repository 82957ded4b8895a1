package io.sluice.perf.options;

import io.sluice.codecs.ValueType;
import io.sluice.perf.updates.Distribution;
import io.sluice.perf.updates.RecordedUpdates;
import io.sluice.perf.updates.UpdateSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** What updates to measure with, how much of them is kept, and as what. */
public final class UpdateOptions {
    private static final String ALL = "all";

    @Option(
            names = "--kept",
            paramLabel = "SHARE",
            split = ",",
            defaultValue = "0.001,0.01,0.05,0.1,0.2,0.5",
            description = "Shares of elements that pass the filter, 0 to 1 (${DEFAULT-VALUE}).")
    private List<Double> kept;

    @Option(
            names = "--data",
            paramLabel = "KIND|FILE",
            defaultValue = "synthetic",
            description =
                    "synthetic, gaussian, laplace, or a file of recorded updates: raw little-endian f32, one clock"
                            + " after the other (${DEFAULT-VALUE}).")
    private String data;

    @Option(
            names = "--clocks",
            paramLabel = "N",
            defaultValue = "1",
            description = "Updates in the file of recorded ones (${DEFAULT-VALUE}).")
    private int clocks;

    /** The shares, as they were named. */
    public List<Double> kept() {
        for (double share : kept) {
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException("--kept " + share + ": expected a share from 0 to 1");
            }
        }
        return kept.stream().distinct().sorted().toList();
    }

    /**
     * Where the updates come from.
     *
     * @throws IOException if it is a file that is missing or not of that many updates
     */
    public UpdateSource source() throws IOException {
        return switch (data.toLowerCase(Locale.ROOT)) {
            case "synthetic" -> Distribution.SYNTHETIC;
            case "gaussian" -> Distribution.GAUSSIAN;
            case "laplace" -> Distribution.LAPLACE;
            default -> RecordedUpdates.of(Path.of(data), clocks);
        };
    }

    /**
     * Types of values by name.
     *
     * @param option that named them
     * @param names of types, or {@code all}
     * @return the types, each once
     */
    public static List<ValueType> valueTypes(String option, List<String> names) {
        if (names.contains(ALL)) {
            return List.of(ValueType.values());
        }
        return names.stream()
                .map(name -> valueType(option, name.toLowerCase(Locale.ROOT)))
                .distinct()
                .toList();
    }

    private static ValueType valueType(String option, String name) {
        return Arrays.stream(ValueType.values())
                .filter(type -> type.configName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(option + " " + name + ": expected all or some of "
                        + String.join(
                                ", ",
                                Arrays.stream(ValueType.values())
                                        .map(ValueType::configName)
                                        .toList())));
    }
}
