package io.sluice.codecs;

import io.sluice.codecs.spi.NamedProvider;
import io.sluice.codecs.spi.PolicySpec;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The policies of one kind by name: those of Sluice, and those that users provide as services.
 *
 * @param <T> the interface that the policies of the kind implement
 */
public final class Providers<T> {
    private final String kind;
    private final String choice;
    private final List<? extends NamedProvider<T>> own;
    private final Supplier<? extends Iterable<? extends NamedProvider<T>>> services;

    /**
     * The last result, cached because a search of the class path takes about a millisecond. The reference is soft so
     * that the cache does not keep a class loader alive.
     */
    private volatile SoftReference<Found<T>> last = new SoftReference<>(null);

    /** All providers on the class path of a thread. */
    private record Found<T>(ClassLoader loader, List<NamedProvider<T>> all) {}

    /**
     * Names the policies of a kind.
     *
     * @param kind     the kind, for messages: {@code filter}
     * @param choice   how many policies a text may name, for messages: {@code one of}
     * @param own      Sluice's own providers
     * @param services loads the providers of users from the class path of the calling thread
     */
    public Providers(
            String kind,
            String choice,
            List<? extends NamedProvider<T>> own,
            Supplier<? extends Iterable<? extends NamedProvider<T>>> services) {
        this.kind = kind;
        this.choice = choice;
        this.own = own;
        this.services = services;
    }

    /**
     * Creates one of Sluice's own providers.
     *
     * @param word  its name
     * @param form  form of a specification, for messages
     * @param maker makes the policy
     */
    public static <T> NamedProvider<T> own(String word, String form, Function<PolicySpec, T> maker) {
        return new Own<>(word, form, maker);
    }

    /**
     * Creates one of Sluice's own providers, whose policies take no arguments and no options.
     *
     * @param word  its name
     * @param maker makes the policy
     */
    public static <T> NamedProvider<T> own(String word, Supplier<? extends T> maker) {
        return own(word, word, spec -> {
            spec.requireArguments(0).allowOptions();
            return maker.get();
        });
    }

    /**
     * Creates the policy that a text describes.
     *
     * @param text specification
     * @return the policy
     * @throws IllegalArgumentException if the text is malformed, has a value out of range or names no policy (the
     *     message lists all); if two providers have the same name, or one cannot be loaded
     */
    public T create(String text) {
        return create(text, text);
    }

    /**
     * Creates the policy that a part of a text describes.
     *
     * @param text the whole text, for messages
     * @param part specification
     * @return the policy
     * @throws IllegalArgumentException as {@link #create(String)} does
     */
    public T create(String text, String part) {
        NamedProvider<T> provider = named(text, PolicySpec.nameIn(part));
        return provider.create(new PolicySpec(kind, part, provider.form()));
    }

    /**
     * Finds a provider.
     *
     * @param text the whole text, for messages
     * @param word name of the provider
     * @return the provider
     * @throws IllegalArgumentException if no provider has that name (the message lists all), if two have it, or
     *     if one cannot be loaded
     */
    NamedProvider<T> named(String text, String word) {
        List<NamedProvider<T>> all = all();
        List<NamedProvider<T>> found =
                all.stream().filter(each -> each.configName().equals(word)).toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(kind + " is '" + text + "', expected " + choice + " "
                    + all.stream().map(each -> shape(each.form())).collect(Collectors.joining("; ")));
        }
        if (found.size() > 1) {
            throw new IllegalArgumentException(kind + " '" + word + "' is provided by both "
                    + found.get(0).getClass() + " and " + found.get(1).getClass() + ", expected one");
        }
        return found.getFirst();
    }

    /** The first part of a form: without its options, and without what its arguments may be. */
    private static String shape(String form) {
        return form.split(", ", 2)[0].replaceAll("\\[;[^]]*]", "");
    }

    /**
     * All providers.
     *
     * @return Sluice's own providers, then those on the class path
     * @throws IllegalArgumentException if one is named as a service but cannot be loaded
     */
    public List<NamedProvider<T>> all() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Found<T> found = last.get();
        if (null == found || found.loader() != loader) {
            found = new Found<>(loader, load());
            last = new SoftReference<>(found);
        }
        return found.all();
    }

    private List<NamedProvider<T>> load() {
        List<NamedProvider<T>> all = new ArrayList<>(own);
        try {
            services.get().forEach(all::add);
        } catch (ServiceConfigurationError e) {
            throw new IllegalArgumentException(
                    "the " + kind + " on the class path cannot be loaded: " + e.getMessage(), e);
        }
        return List.copyOf(all);
    }

    private record Own<T>(String configName, String form, Function<PolicySpec, T> maker) implements NamedProvider<T> {
        @Override
        public T create(PolicySpec spec) {
            return maker.apply(spec);
        }
    }
}
