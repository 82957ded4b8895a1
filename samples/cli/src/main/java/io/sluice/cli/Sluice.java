package io.sluice.cli;

import io.sluice.cli.data.DataCommand;
import io.sluice.cli.tree.TreeCommand;
import io.sluice.console.ExitCode;
import io.sluice.console.UsageErrors;
import io.sluice.messaging.JvmAccess;
import io.sluice.messaging.api.MessagingException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IFactory;

/** The command line. */
@Command(
        name = "sluice",
        description = "Model updates between workers and parameter servers, over shared memory and UDP.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        version = "sluice 0.1.0",
        subcommands = {
            TrainCommand.class,
            ServerCommand.class,
            CoordinatorCommand.class,
            WorkerCommand.class,
            DriverCommand.class,
            SecretCommand.class,
            StatCommand.class,
            AdviseCommand.class,
            TreeCommand.class,
            DataCommand.class
        },
        footer = {
            "",
            "Begin with:   sluice train lr",
            "One host:     train starts the media driver, the servers and the workers, and ends them all.",
            "Many hosts:   sluice driver on each, sluice server --coordinate on the first, then the others:",
            "              see docs/guide.md.",
            "Watch:        sluice stat, while a job runs: links, agents and nodes of this host, live.",
            "Advise:       sluice advise, what to change about a job, and what it would gain.",
            "Real data:    sluice data lists public data sets; sluice data NAME DIR obtains one.",
            "Spark:        sluice spark --help",
            "Measure:      sluice perf --help",
            "Network lab:  sluice lab --help"
        })
public final class Sluice {

    /** Options of the workloads of {@code train} and {@code worker}. */
    private static final List<Class<? extends WorkloadOptions>> WORKLOADS =
            List.of(LrOptions.class, MfOptions.class, MlrOptions.class, LdaOptions.class, CnnOptions.class);

    /** Options of commands by names that other commands use for them, and by common names of other programs. */
    private static final Map<String, List<String>> SYNONYMS = Map.of(
            "--clocks", List.of("--passes"),
            "--passes", List.of("--clocks"),
            "--epochs", List.of("--passes", "--clocks"),
            "--iterations", List.of("--passes", "--clocks"),
            "--lr", List.of("--learning-rate"),
            "--batch-size", List.of("--batch"),
            "--dir", List.of("--aeron-dir"));

    private Sluice() {}

    /**
     * Runs one command and ends the process with its exit code.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /**
     * Runs one command.
     *
     * @param args the command line
     * @return the exit code
     */
    public static int run(String... args) {
        CommandLine line = commandLine(CommandLine.defaultFactory(), new Failures());
        if (args.length == 0) {
            line.usage(line.getErr());
            return ExitCode.USAGE;
        }
        return execute(line, args);
    }

    /**
     * The command line, to be {@linkplain #execute executed} once.
     *
     * @param factory makes its commands and their options
     * @param failures turns their exceptions into an exit code
     */
    static CommandLine commandLine(IFactory factory, Failures failures) {
        CommandLine line = new CommandLine(new Sluice(), factory);
        for (Class<? extends WorkloadOptions> type : WORKLOADS) {
            WorkloadOptions job = made(factory, type);
            WorkloadOptions node = made(factory, type);
            add(line, "train", job, new TrainJobCommand(job), factory, TrainJobCommand.description(job));
            add(line, "worker", node, new WorkerNodeCommand(node), factory, WorkerNodeCommand.description(node));
        }
        line.setExecutionStrategy(new EachOptionOnce());
        line.setExecutionExceptionHandler(failures);
        line.setParameterExceptionHandler(new UsageErrors(SYNONYMS));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        OptionGroups.applyTo(line);
        return line;
    }

    private static WorkloadOptions made(IFactory factory, Class<? extends WorkloadOptions> type) {
        try {
            return factory.create(type);
        } catch (Exception e) {
            throw new IllegalStateException("the options " + type.getName() + " cannot be made", e);
        }
    }

    /** Adds the command of a workload as a subcommand of {@code parent}, one of the commands that take a workload. */
    private static void add(
            CommandLine line,
            String parent,
            WorkloadOptions options,
            Object command,
            IFactory factory,
            String... description) {
        CommandLine added = new CommandLine(command, factory);
        added.getCommandSpec().usageMessage().description(description);
        line.getSubcommands().get(parent).addSubcommand(options.name(), added);
    }

    /** Runs one command; returns the exit code. */
    static int execute(CommandLine line, String... args) {
        try {
            JvmAccess.require();
            return line.execute(args);
        } catch (MessagingException e) {
            line.getErr().println("sluice: " + e.getMessage());
            return ExitCode.UNAVAILABLE;
        } catch (OutOfMemoryError e) {
            line.getErr()
                    .println("sluice: out of memory (" + e.getMessage()
                            + "): give the JVM more with SLUICE_JVM_OPTS=-Xmx..., or use fewer features");
            return ExitCode.UNAVAILABLE;
        }
    }
}
