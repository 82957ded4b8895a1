package io.sluice.codecs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProvidersTest {
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private int loads;

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    private Providers<String> providers(List<String> ofUsers) {
        return new Providers<>("toy", "one of", List.of(Providers.own("own", () -> "the own one")), () -> {
            loads++;
            return ofUsers.stream()
                    .map(word -> Providers.own(word, () -> "the " + word))
                    .toList();
        });
    }

    @Test
    void aClassPathIsSearchedOnce() {
        Providers<String> providers = providers(List.of("theirs"));
        assertEquals("the own one", providers.create("own"));
        assertEquals("the theirs", providers.create("theirs"));
        assertEquals(2, providers.all().size());
        assertEquals(1, loads);
    }

    @Test
    void anotherClassPathIsSearchedAnew() {
        Providers<String> providers = providers(List.of());
        providers.create("own");
        Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0], before));
        providers.create("own");
        assertEquals(2, loads);
        Thread.currentThread().setContextClassLoader(null);
        providers.create("own");
        assertEquals(3, loads);
    }

    @Test
    void aFailedSearchIsRepeated() {
        Providers<String> providers = new Providers<>("toy", "one of", List.of(), () -> {
            if (loads++ == 0) {
                throw new ServiceConfigurationError("no such class");
            }
            return List.of(Providers.own("late", () -> "the late one"));
        });
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, providers::all);
        assertEquals("the toy on the class path cannot be loaded: no such class", refusal.getMessage());
        assertEquals("the late one", providers.create("late"));
    }

    @Test
    void aNameOfTwoProvidersIsRefused() {
        Providers<String> providers = providers(List.of("own"));
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> providers.create("own"));
        assertEquals("toy 'own' is provided by both", refusal.getMessage().split(" class")[0]);
    }
}
