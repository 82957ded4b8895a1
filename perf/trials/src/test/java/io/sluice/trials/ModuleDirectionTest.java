package io.sluice.trials;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks which module may use which. */
final class ModuleDirectionTest {
    /** The modules, each with the modules that it may use. */
    enum Module {
        CODECS,
        FILTER(CODECS),
        MESSAGING(CODECS),
        TREE(CODECS, MESSAGING),
        CONSISTENCY(CODECS, MESSAGING, FILTER, TREE),
        CONSOLE,
        SAMPLES(CODECS, MESSAGING, FILTER, TREE, CONSISTENCY),
        CLI(CODECS, MESSAGING, FILTER, TREE, CONSISTENCY, CONSOLE, SAMPLES),
        PERF(CODECS, MESSAGING, FILTER, TREE, CONSISTENCY, CONSOLE, SAMPLES),
        TRIALS(CODECS, MESSAGING, FILTER, TREE, CONSISTENCY, CONSOLE, SAMPLES, PERF);

        private final Set<Module> allowed;

        Module(Module... allowed) {
            this.allowed = Set.of(allowed);
        }

        String packages() {
            return "io.sluice." + name().toLowerCase(Locale.ROOT) + "..";
        }

        String[] forbidden() {
            return Arrays.stream(values())
                    .filter(other -> other != this && !allowed.contains(other))
                    .map(Module::packages)
                    .toArray(String[]::new);
        }

        boolean owns(JavaClass type) {
            return (type.getPackageName() + ".").startsWith(packages().replace("..", "."));
        }
    }

    @ParameterizedTest
    @EnumSource
    void classesOfTheModuleAreImported(Module module) {
        assertTrue(types(module).findAny().isPresent(), "no class of " + module.packages() + " was imported");
    }

    @ParameterizedTest
    @EnumSource
    void usesOnlyAllowedModules(Module module) {
        String[] forbidden = module.forbidden();
        if (forbidden.length > 0) {
            noClasses()
                    .that()
                    .resideInAPackage(module.packages())
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(forbidden)
                    .check(MainClasses.SLUICE);
        }
    }

    @Test
    void everyClassBelongsToAModule() {
        String[] known = Arrays.stream(Module.values()).map(Module::packages).toArray(String[]::new);
        classes().should().resideInAnyPackage(known).check(MainClasses.SLUICE);
    }

    @ParameterizedTest
    @EnumSource(names = {"CODECS", "FILTER"})
    void doesNotUseTheNetwork(Module module) {
        noClasses()
                .that()
                .resideInAPackage(module.packages())
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.aeron..", "java.net..", "java.nio.channels..")
                .check(MainClasses.SLUICE);
    }

    @Test
    void noPackageHasAGenericName() {
        noClasses()
                .should()
                .resideInAnyPackage("..util..", "..common..", "..impl..")
                .check(MainClasses.SLUICE);
    }

    @Test
    void noClassHasAGenericName() {
        List<String> vague = Stream.of(Module.values())
                .flatMap(this::types)
                .map(JavaClass::getSimpleName)
                .filter(name -> name.matches(".*(Manager|Utils?|Helper)"))
                .toList();
        assertEquals(List.of(), vague);
    }

    @Test
    void onlyMainClassesEndTheProcess() {
        noClasses()
                .that()
                .resideOutsideOfPackages(Module.CLI.packages(), Module.PERF.packages(), Module.TRIALS.packages())
                .should()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "halt", int.class)
                .check(MainClasses.SLUICE);
    }

    private Stream<JavaClass> types(Module module) {
        return MainClasses.SLUICE.stream()
                .filter(module::owns)
                .filter(type -> !"package-info".equals(type.getSimpleName()));
    }
}
