package io.sluice.trials;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.agrona.ErrorHandler;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Programs can name every type of an exported signature, exported types are few, and each change shows in a review. */
final class ExportedApiTest {
    /** Raise this only if programs need one more type. */
    private static final int MOST_TYPES = 44;

    /** Raise this only if policies of users need one more type. */
    private static final int MOST_SPI_TYPES = 28;

    /** Interfaces of one method, which lambdas implement; Agrona is a dependency of every program that uses Sluice. */
    private static final Set<Class<?>> OF_AGRONA = Set.of(
            DirectBuffer.class,
            MutableDirectBuffer.class,
            ErrorHandler.class,
            IdleStrategy.class,
            NanoClock.class,
            EpochClock.class);

    private static final String WRITE = "sluice.api.write";

    private static ExportedApi api;

    @BeforeAll
    static void read() throws IOException, ClassNotFoundException {
        api = ExportedApi.read();
    }

    @Test
    void everyModuleExportsSomething() {
        for (String module : List.of("codecs", "filter", "messaging", "tree", "consistency")) {
            assertTrue(
                    api.packages().stream().anyMatch(name -> name.startsWith("io.sluice." + module + '.')),
                    module + " exports nothing");
        }
    }

    @Test
    void noSignatureNamesAnInternalType() {
        Set<String> leaks = new TreeSet<>();
        for (Class<?> type : api.types()) {
            ExportedApi.reached(type).forEach((reached, where) -> {
                if (!mayBeNamed(reached)) {
                    leaks.add(reached.getName() + " in " + where);
                }
            });
        }
        assertEquals(Set.of(), leaks);
    }

    private static boolean mayBeNamed(Class<?> type) {
        boolean ofTheJdk = type.getClassLoader() == null || type.getModule().isNamed();
        return ofTheJdk || api.types().contains(type) || OF_AGRONA.contains(type);
    }

    @Test
    void itIsSmall() {
        Map<Boolean, Long> types = api.types().stream()
                .filter(type -> type.getEnclosingClass() == null)
                .collect(Collectors.partitioningBy(
                        type -> type.getPackageName().endsWith(".spi"), Collectors.counting()));
        assertAll(
                () -> isUpTo("for programs", types.get(false), MOST_TYPES),
                () -> isUpTo("for policies of users", types.get(true), MOST_SPI_TYPES));
    }

    private static void isUpTo(String use, long types, int most) {
        assertTrue(types <= most, types + " types are exported " + use + ", expected up to " + most);
    }

    /** Regenerate: {@code mvn test -pl perf/trials -am -Dtest=ExportedApiTest -Dsluice.api.write=true}. */
    @Test
    void itIsAsCommitted() throws IOException {
        Path file = Path.of("../../config/exported-api.txt");
        List<String> now = new ArrayList<>();
        api.types().forEach(type -> now.addAll(ExportedApi.listing(type)));
        if (Boolean.getBoolean(WRITE)) {
            Files.write(file, now);
        }
        List<String> committed = Files.readAllLines(file);
        List<String> gone =
                committed.stream().filter(line -> !now.contains(line)).toList();
        List<String> added =
                now.stream().filter(line -> !committed.contains(line)).toList();
        assertEquals(
                committed,
                now,
                "the exported API has lost " + gone + " and gained " + added
                        + "; if that is intended, say so in CHANGELOG.md and run this test with -D" + WRITE + "=true");
    }
}
