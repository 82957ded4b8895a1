package io.sluice.perf.experiment;

import io.sluice.console.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The command that runs a scenario: its options are the scenario's parameters, and the files for its figures. */
public final class ScenarioCommand implements Callable<Integer> {
    private static final String JSON = "--json";
    private static final String PLOT = "--plot";

    private final Scenario scenario;
    private final CommandSpec spec;

    private ScenarioCommand(Scenario scenario) {
        this.scenario = scenario;
        spec = CommandSpec.wrapWithoutInspection(this);
        spec.name(scenario.name()).mixinStandardHelpOptions(true);
        spec.usageMessage()
                .description(scenario.description().toArray(String[]::new))
                .sortOptions(false);
        scenario.allParameters().forEach(parameter -> spec.addOption(option(parameter)));
        spec.addOption(file(JSON, "Write all figures as one JSON object, anew after each turn."));
        if (!scenario.layout().curves().isEmpty()) {
            spec.addOption(file(
                    PLOT, "Draw them, as .png or .svg; of several plots, each has a word before the ending of FILE."));
        }
    }

    /** Creates the command. */
    public static CommandSpec of(Scenario scenario) {
        return new ScenarioCommand(scenario).spec;
    }

    private static OptionSpec option(Parameter<?> parameter) {
        if (parameter.flag()) {
            return OptionSpec.builder(parameter.option())
                    .type(Boolean.class)
                    .arity("0")
                    .description(parameter.help() + ".")
                    .build();
        }
        String value = parameter.value() == null ? "" : " (" + parameter.value().replace("%", "%%") + ")";
        return OptionSpec.builder(parameter.option())
                .type(String.class)
                .paramLabel(parameter.label())
                .description(parameter.help() + value + ".")
                .build();
    }

    private static OptionSpec file(String name, String help) {
        return OptionSpec.builder(name)
                .type(Path.class)
                .paramLabel("FILE")
                .description(help)
                .build();
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Map<String, String> given = new LinkedHashMap<>();
        for (Parameter<?> parameter : scenario.allParameters()) {
            Object value = spec.findOption(parameter.option()).getValue();
            if (value != null) {
                given.put(parameter.name(), value.toString());
            }
        }
        List<String> words = spec.commandLine().getParseResult().originalArgs();
        Path plot = spec.findOption(PLOT) == null ? null : spec.findOption(PLOT).getValue();
        new ExperimentRun(
                        scenario,
                        new Settings(scenario, given),
                        spec.root().name() + " " + String.join(" ", words),
                        spec.findOption(JSON).getValue(),
                        plot,
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr())
                .run();
        return ExitCode.OK;
    }
}
