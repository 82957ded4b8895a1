package io.sluice.trials;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks which package of a module may use which, and that the drawing of the module shows its packages. */
final class PackageDirectionTest {
    private static final Path DRAWINGS = Path.of("../../docs/drawings");
    private static final Pattern TEXT = Pattern.compile(">([^<>]*)</text>");
    private static final Pattern TYPE_NAME = Pattern.compile("\\b(?:[A-Z][a-z0-9]+){2,}\\b");

    /** The modules, each with its packages, which may use those before them, and with the exceptions. */
    enum Module {
        /**
         * Both stay: {@code ValueType} and {@code BlockFormat} take the lengths of their columns from the classes that
         * encode them, and those classes describe themselves by the constants of these types.
         */
        CODECS(List.of("sbe", "api", "spi", "", "seal"), "api > ", "spi > "),

        FILTER(List.of("spi", "threshold", "kernel", "feedback", "", "policy")),

        /**
         * Both stay. {@code Endpoint} and {@code Budget} of the API read their texts with the parsers of the module,
         * which throw an exception of the API. {@code Driver} is what programs see of {@code RunningDriver}, which uses
         * packages that programs must not see.
         */
        MESSAGING(
                List.of(
                        "api",
                        "flow",
                        "linux",
                        "idle",
                        "counters",
                        "driver",
                        "udp",
                        "",
                        "bandwidth",
                        "spi",
                        "outbox",
                        "micrometer"),
                "api > ",
                "driver > "),

        TREE(List.of("topology", "spi", "planning", "")),

        /**
         * Stays: the context of a node checks the terms that a trainer declares by the rules of the message that
         * carries them. In {@code node} or {@code terms}, {@code DeclaredTerms} would be a type for programs.
         */
        CONSISTENCY(
                List.of(
                        "spi",
                        "clock",
                        "standard",
                        "factors.expression",
                        "terms",
                        "snapshot",
                        "policy",
                        "feedback",
                        "node",
                        "membership",
                        "replica",
                        "placement",
                        "wire",
                        "server",
                        "worker",
                        "local"),
                "node > membership");

        private final List<String> packages;
        private final Set<String> exceptions;

        Module(List<String> packages, String... exceptions) {
            this.packages = packages;
            this.exceptions = Set.of(exceptions);
        }

        private String root() {
            return name().toLowerCase(Locale.ROOT);
        }

        private boolean owns(JavaClass type) {
            return type.getPackageName().equals("io.sluice." + root())
                    || type.getPackageName().startsWith("io.sluice." + root() + '.');
        }

        /** The package of a type, without the name of the module: empty for the module's own. */
        private String part(JavaClass type) {
            return type.getPackageName()
                    .substring(("io.sluice." + root()).length())
                    .replaceFirst("^\\.", "");
        }

        private List<JavaClass> types() {
            return MainClasses.SLUICE.stream()
                    .filter(this::owns)
                    .filter(type -> !"package-info".equals(type.getSimpleName()))
                    .toList();
        }

        private String drawing() throws IOException {
            return TEXT.matcher(Files.readString(DRAWINGS.resolve(root() + ".svg")))
                    .results()
                    .map(text -> text.group(1))
                    .collect(Collectors.joining("\n"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPackageUsesThoseBeforeItOnly(Module module) {
        Set<String> upward = new TreeSet<>();
        Set<String> packages = new TreeSet<>();
        for (JavaClass type : module.types()) {
            String user = module.part(type);
            packages.add(user);
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                    .filter(module::owns)
                    .map(module::part)
                    .filter(used -> module.packages.indexOf(used) > module.packages.indexOf(user))
                    .forEach(used -> upward.add(user + " > " + used));
        }
        assertEquals(new TreeSet<>(module.packages), packages);
        assertEquals(new TreeSet<>(module.exceptions), upward);
    }

    @ParameterizedTest
    @EnumSource
    void theDrawingShowsEachPackageAndNoOther(Module module) throws IOException {
        String root = module.root();
        Set<String> drawn = Pattern.compile("(?m)^" + root + "(?![.\\w])|\\b" + root + "\\.([a-z]+(?:\\.[a-z]+)*)")
                .matcher(module.drawing())
                .results()
                .map(match -> match.group(1) == null ? "" : match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(module.packages), drawn);
    }

    @ParameterizedTest
    @EnumSource
    void theDrawingNamesTypesOfTheModule(Module module) throws IOException {
        Set<String> types =
                module.types().stream().map(JavaClass::getSimpleName).collect(Collectors.toSet());
        Set<String> named = TYPE_NAME
                .matcher(module.drawing())
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        named.removeAll(types);
        assertEquals(Set.of(), named);
    }
}
