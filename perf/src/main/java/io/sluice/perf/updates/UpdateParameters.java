package io.sluice.perf.updates;

import io.sluice.codecs.api.ValueType;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Parameters of the measured updates: their source, the density, and the value type. */
public final class UpdateParameters {
    /** Title of the axis of curves over the kept share. */
    public static final String KEPT_AXIS = "share of elements kept";

    private static final String ALL = "all";
    private static final Parameter<List<Double>> KEPT = Parameter.number(
                    "kept", 0, share -> share >= 0 && share <= 1, "a share from 0 to 1")
            .several("0.001,0.01,0.05,0.1,0.2,0.5")
            .help("Shares of elements that pass the filter, 0 to 1");
    private static final Parameter<String> DATA = Parameter.text("data", "KIND|FILE", "synthetic")
            .help("synthetic, gaussian, laplace, or a file of recorded updates: raw little-endian f32, one clock"
                    + " after the other");
    private static final Parameter<Integer> CLOCKS =
            Parameter.whole("clocks", 1, 1, Integer.MAX_VALUE).help("Updates in the file of recorded ones");

    private static final List<Parameter<?>> OWN = List.of(KEPT, DATA, CLOCKS);

    private UpdateParameters() {}

    /** The parameters of the updates, together with others. */
    public static List<Parameter<?>> and(Parameter<?>... others) {
        return Stream.concat(OWN.stream(), Arrays.stream(others)).toList();
    }

    /** The shares, ascending. */
    public static List<Double> kept(Settings settings) {
        return settings.get(KEPT).stream().distinct().sorted().toList();
    }

    /** The source of the updates. */
    public static UpdateSource source(Settings settings) throws IOException {
        String data = settings.get(DATA);
        return switch (data.toLowerCase(Locale.ROOT)) {
            case "synthetic" -> Distribution.SYNTHETIC;
            case "gaussian" -> Distribution.GAUSSIAN;
            case "laplace" -> Distribution.LAPLACE;
            default -> RecordedUpdates.of(Path.of(data), settings.get(CLOCKS));
        };
    }

    /**
     * The parameter {@code --values}: the value types to measure.
     *
     * @param names its default, a list of types or {@code all}
     */
    public static Parameter<List<ValueType>> values(String names) {
        List<String> known =
                ValueType.choices().stream().map(ValueType::configName).toList();
        return Parameter.of("values", "TYPE", names, (option, text) -> {
                    List<String> wanted = List.of(text.toLowerCase(Locale.ROOT).split(","));
                    for (String name : wanted) {
                        if (!known.contains(name) && !name.equals(ALL)) {
                            throw Parameter.refusal(option, name, "all or some of " + String.join(", ", known));
                        }
                    }
                    return ValueType.choices().stream()
                            .filter(type -> wanted.contains(ALL) || wanted.contains(type.configName()))
                            .toList();
                })
                .help("Types of values: all, or some of " + String.join(", ", known));
    }
}
