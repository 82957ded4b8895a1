package io.sluice.consistency.standard;

import io.sluice.codecs.Providers;
import io.sluice.consistency.spi.PlacementStrategy;
import io.sluice.consistency.spi.PlacementStrategyProvider;
import java.util.List;
import java.util.ServiceLoader;

/** Placements by name: those of Sluice ({@link StandardPlacement}) and those that users provide. */
public final class Placements {
    private static final Providers<PlacementStrategy> PROVIDERS = new Providers<>(
            "placement",
            "one of",
            List.of(StandardPlacement.values()),
            () -> ServiceLoader.load(PlacementStrategyProvider.class));

    private Placements() {}

    /**
     * Creates the placement that a text describes.
     *
     * @param text name and arguments, such as {@code uniform}
     * @return the strategy
     * @throws IllegalArgumentException if the text is malformed, has a value out of range or names no placement (the
     *     message lists them); if two providers have the same name, or one cannot be loaded
     */
    public static PlacementStrategy named(String text) {
        return PROVIDERS.create(text);
    }
}
