package io.sluice.consistency.clock;

import static io.sluice.codecs.Providers.own;

import io.sluice.codecs.Providers;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.spi.ConsistencyRuleProvider;
import java.util.List;
import java.util.ServiceLoader;

/** Consistency rules by name: those of Sluice and those that users provide. */
public final class ConsistencyRules {
    /** Maximum staleness of SSP; a higher one is refused as a typing error. */
    private static final int MAX_STALENESS = 1_000_000;

    /** Bound of B, above the number of workers of any cluster. */
    private static final int MAX_BACKUPS = 4_095;

    /** Maximum of HIGH, limited because a worker tries each number of clocks up to HIGH. */
    private static final int MAX_DYNAMIC = 1_000;

    private static final Providers<ConsistencyRule> PROVIDERS = new Providers<>(
            "consistency",
            "one of",
            List.of(
                    own("bsp", BulkSynchronous::new),
                    own("tap", TotallyAsynchronous::new),
                    own("ssp", "ssp:S with S from 0 to " + MAX_STALENESS, spec -> {
                        int staleness = spec.requireArguments(1).allowOptions().whole(0, 0, MAX_STALENESS);
                        return 0 == staleness ? new BulkSynchronous() : new StaleSynchronous(staleness);
                    }),
                    own("backup", "backup:B with B from 0 to " + MAX_BACKUPS, spec -> {
                        int backups = spec.requireArguments(1).allowOptions().whole(0, 0, MAX_BACKUPS);
                        return 0 == backups ? new BulkSynchronous() : new BackupWorkers(backups);
                    }),
                    own(
                            "drift",
                            "drift:D,MAX with D a finite number of 0 or more, MAX from 1",
                            spec -> new DriftBound(
                                    spec.requireArguments(2).allowOptions().text(),
                                    spec.threshold(0),
                                    spec.whole(1, 1, MAX_STALENESS))),
                    own("dssp", "dssp:LOW,HIGH with LOW from 0 and HIGH above it, up to " + MAX_DYNAMIC, spec -> {
                        int low = spec.requireArguments(2).allowOptions().whole(0, 0, MAX_DYNAMIC - 1);
                        return new DynamicStaleness(spec.text(), low, spec.whole(1, low + 1, MAX_DYNAMIC));
                    })),
            () -> ServiceLoader.load(ConsistencyRuleProvider.class));

    private ConsistencyRules() {}

    /**
     * Creates the rule that a text describes.
     *
     * @param text {@code bsp}, {@code ssp:S} with S of 0 or more, {@code tap}, {@code backup:B} with B of 0 or more,
     *     {@code drift:D,MAX}, {@code dssp:LOW,HIGH}, or the name of a provider on the class path
     * @return the rule; {@code ssp:0} and {@code backup:0} are BSP
     * @throws IllegalArgumentException if the text is malformed, has a value out of range or names no rule (the message
     *     lists them); if two providers have the same name, or one cannot be loaded
     */
    public static ConsistencyRule named(String text) {
        return PROVIDERS.create(text);
    }
}
