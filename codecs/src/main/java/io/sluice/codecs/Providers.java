package io.sluice.codecs;

import io.sluice.codecs.api.NamedProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The policies of one kind by name: those of Sluice, and those that users provide as services.
 *
 * @param <P> interface of the kind
 */
public final class Providers<P extends NamedProvider> {
    private final String kind;
    private final String choice;
    private final List<? extends P> own;
    private final Supplier<? extends Iterable<P>> services;

    /**
     * Names the policies of a kind.
     *
     * @param kind     what the text names, for messages: {@code filter}
     * @param choice   how many may be named, for messages: {@code one of}
     * @param own      Sluice's own providers
     * @param services loads the providers of users; called for each search, because class paths differ by thread
     */
    public Providers(String kind, String choice, List<? extends P> own, Supplier<? extends Iterable<P>> services) {
        this.kind = kind;
        this.choice = choice;
        this.own = own;
        this.services = services;
    }

    /**
     * Finds a provider.
     *
     * @param text the whole text, for messages
     * @param word name of the provider
     * @return the provider
     * @throws IllegalArgumentException if no provider has that name (the message lists all forms), if two have it, or
     *     if one cannot be loaded
     */
    public P named(String text, String word) {
        List<P> all = all();
        List<P> found =
                all.stream().filter(each -> each.configName().equals(word)).toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(kind + " is '" + text + "', expected " + choice + " "
                    + all.stream().map(NamedProvider::form).collect(Collectors.joining("; ")));
        }
        if (found.size() > 1) {
            throw new IllegalArgumentException(kind + " '" + word + "' is provided by both "
                    + found.get(0).getClass() + " and " + found.get(1).getClass() + ", expected one");
        }
        return found.getFirst();
    }

    /**
     * All providers.
     *
     * @return Sluice's own, then those on the class path
     * @throws IllegalArgumentException if one is named as a service but cannot be loaded
     */
    public List<P> all() {
        List<P> all = new ArrayList<>(own);
        try {
            services.get().forEach(all::add);
        } catch (ServiceConfigurationError e) {
            throw new IllegalArgumentException(
                    "the " + kind + " on the class path cannot be loaded: " + e.getMessage(), e);
        }
        return all;
    }
}
