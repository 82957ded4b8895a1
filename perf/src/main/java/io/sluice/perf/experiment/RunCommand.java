package io.sluice.perf.experiment;

import io.sluice.console.ExitCode;
import io.sluice.console.Suggestions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The commands for all scenarios: {@code run} measures one, or a figure of the documentation; {@code figures} draws all
 * figures; {@code list} names both.
 */
public final class RunCommand {
    private static final String MEASURE = "--measure";

    private final List<Scenario> scenarios;
    private final ScenarioFile.Folders folders;

    /**
     * Creates the commands for all scenarios.
     *
     * @param home folder of the checkout, which contains {@code docs}
     */
    public RunCommand(List<Scenario> scenarios, Path home) {
        this.scenarios = scenarios;
        this.folders = new ScenarioFile.Folders(home.resolve("docs"));
    }

    /** {@code run}, with a command for each scenario below it. */
    public CommandSpec run() {
        CommandSpec run = spec(
                "run",
                spec -> {
                    String name = spec.positionalParameters().getFirst().getValue();
                    if (name == null) {
                        throw new IllegalArgumentException(
                                "run needs a name, expected a scenario or a figure (sluice perf list names both)");
                    }
                    measure(spec, file(name));
                },
                "Measures a scenario, or a figure of the documentation anew.",
                "A figure is docs/scenarios/NAME.yaml; its result is written to docs/results/NAME.json, and drawn to"
                        + " docs/plots/NAME.svg.");
        run.addPositional(PositionalParamSpec.builder()
                .paramLabel("NAME|FILE.yaml")
                .arity("0..1")
                .type(String.class)
                .description("A figure; or one of the scenarios below, followed by its parameters.")
                .build());
        scenarios.forEach(scenario -> run.addSubcommand(scenario.name(), ScenarioCommand.of(scenario)));
        return run;
    }

    /** {@code figures}. */
    public CommandSpec figures() {
        return spec("figures", this::drawAll, "Draws all figures of the documentation from their committed results.")
                .addOption(OptionSpec.builder(MEASURE)
                        .type(Boolean.class)
                        .arity("0")
                        .description("First measure all of them anew; that takes hours and needs Linux and root.")
                        .build());
    }

    public CommandSpec list() {
        return spec("list", this::print, "Names the scenarios, and the figures of the documentation.");
    }

    /** The action of a command. */
    @FunctionalInterface
    private interface Action {
        void run(CommandSpec spec) throws IOException, InterruptedException;
    }

    private static CommandSpec spec(String name, Action action, String... description) {
        CommandSpec[] own = new CommandSpec[1];
        Callable<Integer> call = () -> {
            action.run(own[0]);
            return ExitCode.OK;
        };
        own[0] = CommandSpec.wrapWithoutInspection(call).name(name).mixinStandardHelpOptions(true);
        own[0].usageMessage().description(description);
        return own[0];
    }

    private void drawAll(CommandSpec spec) throws IOException, InterruptedException {
        boolean anew = spec.findOption(MEASURE).getValue() != null;
        for (ScenarioFile figure : folders.all()) {
            if (anew) {
                measure(spec, figure);
            } else {
                draw(spec.commandLine().getOut(), figure);
            }
        }
    }

    private void print(CommandSpec spec) throws IOException {
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
                    "figure " + file.name() + " has the name of a scenario, expected another one");
        }
        return scenarios.stream()
                .filter(each -> each.name().equals(file.scenario()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("figure " + file.name() + " belongs to scenario '"
                        + file.scenario() + "', expected one of "
                        + String.join(
                                ", ", scenarios.stream().map(Scenario::name).toList())));
    }

    private void measure(CommandSpec spec, ScenarioFile figure) throws IOException, InterruptedException {
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

    private void draw(PrintWriter out, ScenarioFile figure) throws IOException {
        Path result = folders.result(figure.name());
        if (!Files.exists(result)) {
            out.println("not measured: " + figure.name() + " (sluice perf run " + figure.name() + " does)");
        } else if (!scenario(figure).layout().curves().isEmpty()) {
            ExperimentRun.draw(scenario(figure), Report.read(result).rows(), folders.plot(figure.plot()), out);
        }
        out.flush();
    }
}
