package io.sluice.consistency.standard;

import io.sluice.codecs.Providers;
import io.sluice.consistency.spi.FactorSelection;
import io.sluice.consistency.spi.FactorSelectionProvider;
import java.util.List;
import java.util.ServiceLoader;

/** Factor selections by name: those of Sluice ({@link StandardSelection}) and those that users provide. */
public final class FactorSelections {
    /** The selection that sends every group. */
    public static final String ALL = StandardSelection.ALL.configName();

    private static final Providers<FactorSelection.Policy> PROVIDERS = new Providers<>(
            "selection",
            "one of",
            List.of(StandardSelection.values()),
            () -> ServiceLoader.load(FactorSelectionProvider.class));

    private FactorSelections() {}

    /**
     * Creates the selection that a text describes.
     *
     * @param text name and arguments, as in {@code joint:25}
     * @return the selection
     * @throws IllegalArgumentException if the text is malformed, has a value out of range or names no selection (the
     *     message lists them); if two providers have the same name, or one cannot be loaded
     */
    public static FactorSelection.Policy named(String text) {
        return PROVIDERS.create(text);
    }
}
