package io.sluice.filter.policy;

import io.sluice.filter.spi.FilterPolicy;
import io.sluice.filter.spi.FilterPolicyProvider;
import io.sluice.filter.spi.FilterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Policies by name: those of Sluice ({@link StandardPolicy}) and those that users provide. */
public final class FilterPolicies {
    private FilterPolicies() {}

    /**
     * Makes the policy that a text names.
     *
     * @param text word, arguments and options, as in {@code density:0.01;warmup=50}
     * @return the policy
     * @throws IllegalArgumentException if the text is malformed, has a value out of range or names no policy (the
     *     message lists them); if two providers have the same word, or one cannot be loaded
     */
    public static FilterPolicy named(String text) {
        FilterPolicyProvider found = null;
        List<FilterPolicyProvider> providers = providers();
        String word = text.split("[:;]", 2)[0];
        for (FilterPolicyProvider provider : providers) {
            if (provider.configName().equals(word)) {
                if (found != null) {
                    throw new IllegalArgumentException("filter '" + word + "' is provided by both " + found.getClass()
                            + " and " + provider.getClass() + ", expected one");
                }
                found = provider;
            }
        }
        if (found == null) {
            throw new IllegalArgumentException("filter is '" + text + "', expected one of "
                    + providers.stream().map(FilterPolicyProvider::form).collect(Collectors.joining("; ")));
        }
        return found.create(new FilterSpec(text, found.form()));
    }

    /**
     * All policies that can be named.
     *
     * @return Sluice's own, then those on the class path
     * @throws IllegalArgumentException if a policy on the class path is named as a service but cannot be loaded
     */
    public static List<FilterPolicyProvider> providers() {
        List<FilterPolicyProvider> providers = new ArrayList<>(List.of(StandardPolicy.values()));
        try {
            ServiceLoader.load(FilterPolicyProvider.class).forEach(providers::add);
        } catch (ServiceConfigurationError e) {
            throw new IllegalArgumentException(
                    "a filter policy on the class path cannot be loaded: " + e.getMessage(), e);
        }
        return providers;
    }
}
