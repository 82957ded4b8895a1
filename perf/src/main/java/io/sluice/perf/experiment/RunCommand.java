package io.sluice.perf.experiment;

import io.sluice.console.Suggestions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The commands for all scenarios: {@code run} measures one, or a figure of the documentation; {@code figures} draws all
 * figures; {@code list} names both.
 */
@Command
public class RunCommand {
    private final List<Scenario> scenarios;
    private final ScenarioFile.Folders folders;

    @Spec
    private CommandSpec spec;

    /**
     * Creates the commands for all scenarios.
     *
     * @param home folder of the checkout, which contains {@code docs}
     */
    public RunCommand(List<Scenario> scenarios, Path home) {
        this.scenarios = scenarios;
        this.folders = new ScenarioFile.Folders(home.resolve("docs"));
    }

    /** Measures a figure. */
    @Command(
            name = "run",
            description = {
                "Measures a scenario, or a figure of the documentation anew.",
                "A figure is docs/scenarios/NAME.yaml; its result is written to docs/results/NAME.json, and drawn to"
                        + " docs/plots/NAME.svg."
            },
            mixinStandardHelpOptions = true)
    public final void run(
            @Parameters(
                            paramLabel = "NAME|FILE.yaml",
                            arity = "0..1",
                            description = "A figure; or one of the scenarios below, followed by its parameters.")
                    String name)
            throws IOException, InterruptedException {
        if (name == null) {
            throw new IllegalArgumentException(
                    "run needs a name, expected a scenario or a figure (sluice perf list names both)");
        }
        measure(file(name));
    }

    /** Draws all figures. */
    @Command(
            name = "figures",
            description = "Draws all figures of the documentation from their committed results.",
            mixinStandardHelpOptions = true)
    public final void figures(
            @Option(
                            names = "--measure",
                            description = "First measure all of them anew; that takes hours and needs Linux and root.")
                    boolean anew)
            throws IOException, InterruptedException {
        for (ScenarioFile figure : folders.all()) {
            if (anew) {
                measure(figure);
            } else {
                draw(figure);
            }
        }
    }

    /** Names scenarios and figures. */
    @Command(
            name = "list",
            description = "Names the scenarios, and the figures of the documentation.",
            mixinStandardHelpOptions = true)
    public final void list() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.println("scenarios: sluice perf run NAME [options]");
        scenarios.forEach(scenario -> out.printf(
                "  %-16s %s%n", scenario.name(), scenario.description().getFirst()));
        out.println();
        out.println("figures: sluice perf run NAME");
        for (ScenarioFile figure : folders.all()) {
            new Settings(scenario(figure), figure.parameters()); // refuses a malformed file
            out.printf("  %-24s %s%n", figure.name(), figure.description());
        }
        out.flush();
    }

    private ScenarioFile file(String name) throws IOException {
        Path path = name.endsWith(".yaml") ? Path.of(name) : folders.scenario(name);
        if (!Files.exists(path) && !name.endsWith(".yaml")) {
            List<String> names = Stream.concat(
                            scenarios.stream().map(Scenario::name),
                            folders.all().stream().map(ScenarioFile::name))
                    .toList();
            throw new IllegalArgumentException("'" + name + "' is neither a scenario nor a figure"
                    + Suggestions.question(name, names) + " (sluice perf list names both)");
        }
        return ScenarioFile.read(path);
    }

    private Scenario scenario(ScenarioFile file) {
        if (scenarios.stream().anyMatch(each -> each.name().equals(file.name()))) {
            throw new IllegalArgumentException(
                    "figure " + file.name() + " has the same name as a scenario: rename the figure");
        }
        return scenarios.stream()
                .filter(each -> each.name().equals(file.scenario()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("figure " + file.name() + " belongs to scenario '"
                        + file.scenario() + "', expected one of "
                        + String.join(
                                ", ", scenarios.stream().map(Scenario::name).toList())));
    }

    private void measure(ScenarioFile figure) throws IOException, InterruptedException {
        Scenario scenario = scenario(figure);
        Settings settings = new Settings(scenario, figure.parameters());
        Path json = folders.result(figure.name());
        Files.createDirectories(json.getParent());
        Path plot = scenario.layout().curves().isEmpty() ? null : folders.plot(figure.plot());
        if (plot != null) {
            Files.createDirectories(plot.getParent());
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println("figure " + figure.name() + ": " + figure.description());
        new ExperimentRun(
                        scenario,
                        settings,
                        "sluice perf run " + figure.name(),
                        json,
                        plot,
                        out,
                        spec.commandLine().getErr())
                .run();
    }

    private void draw(ScenarioFile figure) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Path result = folders.result(figure.name());
        if (!Files.exists(result)) {
            out.println("not measured: " + figure.name() + " (sluice perf run " + figure.name() + " does)");
        } else if (!scenario(figure).layout().curves().isEmpty()) {
            ExperimentRun.draw(scenario(figure), Report.read(result).rows(), folders.plot(figure.plot()), out);
        }
        out.flush();
    }
}
