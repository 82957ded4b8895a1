package io.sluice.filter.policy;

import io.sluice.codecs.Providers;
import io.sluice.codecs.spi.NamedProvider;
import io.sluice.filter.spi.FilterPolicy;
import io.sluice.filter.spi.FilterPolicyProvider;
import java.util.List;
import java.util.ServiceLoader;

/** Policies by name: those of Sluice ({@link StandardPolicy}) and those that users provide. */
public final class FilterPolicies {
    private static final Providers<FilterPolicy> PROVIDERS = new Providers<>(
            "filter", "one of", List.of(StandardPolicy.values()), () -> ServiceLoader.load(FilterPolicyProvider.class));

    private FilterPolicies() {}

    /**
     * Creates the filter policy that a text describes.
     *
     * @param text name, arguments and options, as in {@code density:0.01;warmup=50}
     * @return the policy
     * @throws IllegalArgumentException if the text is malformed, has a value out of range or names no policy (the
     *     message lists them); if two providers have the same name, or a provider cannot be loaded
     */
    public static FilterPolicy named(String text) {
        return PROVIDERS.create(text);
    }

    /** The providers of all policies: Sluice's own, then those on the class path. */
    static List<NamedProvider<FilterPolicy>> providers() {
        return PROVIDERS.all();
    }
}
