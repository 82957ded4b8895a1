package io.sluice.perf;

import io.sluice.console.ExitCode;
import io.sluice.console.UsageErrors;
import io.sluice.perf.bandwidth.Bandwidth;
import io.sluice.perf.broadcast.NetworkBroadcast;
import io.sluice.perf.broadcast.OneHostBroadcast;
import io.sluice.perf.codecs.Codec;
import io.sluice.perf.exchange.ChangedJob;
import io.sluice.perf.exchange.LocalExchange;
import io.sluice.perf.exchange.NetworkExchange;
import io.sluice.perf.experiment.RunCommand;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.ScenarioCommand;
import io.sluice.perf.failure.Recovery;
import io.sluice.perf.failure.Repair;
import io.sluice.perf.failure.Snapshots;
import io.sluice.perf.failure.VectorLog;
import io.sluice.perf.filter.Filter;
import io.sluice.perf.lab.cli.LabCommand;
import io.sluice.perf.latency.Hops;
import io.sluice.perf.latency.Seal;
import io.sluice.perf.latency.Urgency;
import io.sluice.perf.layers.Layers;
import io.sluice.perf.link.Links;
import io.sluice.perf.rows.Rows;
import io.sluice.perf.shared.Shared;
import io.sluice.perf.simulation.Simulation;
import io.sluice.perf.training.Commands;
import io.sluice.perf.training.Convergence;
import io.sluice.perf.training.Factors;
import io.sluice.perf.training.Managed;
import io.sluice.perf.training.Matrix;
import io.sluice.perf.training.Multicasts;
import io.sluice.perf.training.RecordCommand;
import io.sluice.perf.training.Rules;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The measuring commands: {@code sluice perf}. */
@Command(
        name = "sluice perf",
        description = "Measures Sluice and its alternatives on this machine.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        subcommands = {RecordCommand.class, LabCommand.class},
        footer = {"", "Begin with:   sluice perf filter"})
public final class Perf extends RunCommand {
    /** The scenarios of {@code sluice perf run}. */
    static final List<Scenario> SCENARIOS = List.of(
            Filter.SCENARIO,
            Codec.SCENARIO,
            Links.SCENARIO,
            NetworkExchange.SCENARIO,
            NetworkBroadcast.SCENARIO,
            OneHostBroadcast.SCENARIO,
            Simulation.SCENARIO,
            LocalExchange.SCENARIO,
            Layers.SCENARIO,
            Shared.SCENARIO,
            Managed.SCENARIO,
            Matrix.SCENARIO,
            Factors.SCENARIO,
            Multicasts.SCENARIO,
            Convergence.SCENARIO,
            Rows.SCENARIO,
            Rules.SCENARIO,
            Repair.SCENARIO,
            Snapshots.SCENARIO,
            VectorLog.SCENARIO,
            Recovery.SCENARIO,
            Seal.SCENARIO,
            Urgency.SCENARIO,
            Bandwidth.SCENARIO,
            Hops.SCENARIO,
            ChangedJob.SCENARIO,
            Commands.SCENARIO);

    /** Number of scenarios, from the first on, that are also commands. */
    private static final int COMMANDS = 7;

    private Perf() {
        super(SCENARIOS, Path.of(System.getProperty("sluice.home", "")));
    }

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        System.exit(run(args));
    }

    /** Runs one command. */
    public static int run(String... args) {
        CommandLine line = commandLine();
        if (args.length > 0 && "lab".equals(args[0])) {
            // The command is sluice lab, not sluice perf lab.
            line.setCommandName("sluice");
        }
        try {
            return line.execute(args);
        } catch (OutOfMemoryError e) {
            line.getErr()
                    .println("sluice: out of memory (" + e.getMessage()
                            + "): measure smaller tables, or give the JVM more with SLUICE_JVM_OPTS=-Xmx...");
            return ExitCode.UNAVAILABLE;
        }
    }

    /** The command line, with the commands that other modules provide. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Perf());
        ServiceLoader.load(PerfCommand.class).forEach(line::addSubcommand);
        SCENARIOS
                .subList(0, COMMANDS)
                .forEach(scenario -> line.addSubcommand(scenario.name(), ScenarioCommand.of(scenario)));
        CommandLine run = line.getSubcommands().get("run");
        SCENARIOS.forEach(scenario -> run.addSubcommand(scenario.name(), ScenarioCommand.of(scenario)));
        line.setExecutionExceptionHandler(new Failures());
        line.setParameterExceptionHandler(new UsageErrors());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        return line;
    }
}
