package io.sluice.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.console.ExitCode;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The scenarios of this module, and the figures of this checkout. */
@Isolated("sets a system property")
final class ScenarioFilesTest {
    static final List<Scenario> SCENARIOS = Perf.SCENARIOS;

    @BeforeEach
    void atHome() {
        System.setProperty("sluice.home", "..");
    }

    @AfterEach
    void anywhere() {
        System.clearProperty("sluice.home");
    }

    /** Each file names a scenario and values that it takes; a wrong one is refused. */
    @Test
    void listsScenariosAndFigures() {
        PerfRun run = PerfRun.of("list");
        assertEquals(ExitCode.OK, run.exitCode(), run::err);
        assertTrue(run.out().contains("figure-11"), run::out);
        SCENARIOS.forEach(scenario -> assertTrue(run.out().contains("  " + scenario.name()), run::out));
    }

    /** The launcher starts this command without the vector module, so that it prints no warning. */
    @Test
    void listsThemWithoutVectors() throws IOException, InterruptedException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Process list = new ProcessBuilder(
                        java.toString(),
                        "-Dsluice.home=..",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Perf.class.getName(),
                        "list")
                .redirectErrorStream(true)
                .start();
        String printed = new String(list.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(ExitCode.OK, list.waitFor(), printed);
        assertTrue(printed.contains("vectors"), printed);
    }

    @Test
    void refusesANameThatIsNone() {
        PerfRun run = PerfRun.of("run", "hop");
        assertEquals(ExitCode.USAGE, run.exitCode(), run::err);
        String fault = "sluice: 'hop' is neither a scenario nor a figure; did you mean hops? (sluice perf list";
        assertTrue(run.err().startsWith(fault), run::err);
        assertEquals(ExitCode.USAGE, PerfRun.of("run").exitCode());
    }

    /** Each parameter accepts its default; help names every option once. */
    @ParameterizedTest
    @FieldSource("SCENARIOS")
    void takesItsOwnDefaults(Scenario scenario) throws IOException {
        scenario.plan().prepare(new Settings(scenario, Map.of()));
        PerfRun help = PerfRun.of("run", scenario.name(), "--help");
        assertEquals(ExitCode.OK, help.exitCode(), help::err);
        for (Parameter<?> parameter : scenario.parameters()) {
            assertTrue(help.out().contains(parameter.option()), help::out);
        }
    }
}
