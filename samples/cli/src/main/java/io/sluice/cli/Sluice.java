package io.sluice.cli;

import io.sluice.cli.data.DataCommand;
import io.sluice.cli.tree.TreeCommand;
import io.sluice.console.ExitCode;
import io.sluice.console.UsageErrors;
import io.sluice.messaging.JvmAccess;
import io.sluice.messaging.api.MessagingException;
import java.util.Collection;
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
        CommandLine line = commandLine(CommandLine.defaultFactory(), new Failures(), args);
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
     * @param args the arguments that it is to execute: commands of workloads that these cannot mean are left out, since
     *     picocli takes a large part of a short command's time to read their options; none for all commands
     */
    static CommandLine commandLine(IFactory factory, Failures failures, String... args) {
        CommandLine line = new CommandLine(new Sluice(), factory);
        Map<String, CommandLine> commands = line.getSubcommands();
        List<WorkloadOptions> workloads =
                WORKLOADS.stream().map(type -> made(factory, type)).toList();
        List<String> names = workloads.stream().map(WorkloadOptions::name).toList();
        for (WorkloadOptions options : workloads) {
            if (!mayMean(args, 1, options.name(), names)) {
                continue;
            }
            if (mayMean(args, 0, "train", commands.keySet())) {
                add(
                        line,
                        "train",
                        options,
                        new TrainJobCommand(options),
                        factory,
                        TrainJobCommand.description(options));
            }
            if (mayMean(args, 0, "worker", commands.keySet())) {
                WorkloadOptions node = made(factory, options.getClass());
                add(line, "worker", node, new WorkerNodeCommand(node), factory, WorkerNodeCommand.description(node));
            }
        }
        line.setExecutionStrategy(new EachOptionOnce());
        line.setExecutionExceptionHandler(failures);
        line.setParameterExceptionHandler(new UsageErrors(SYNONYMS));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        OptionGroups.applyTo(line);
        return line;
    }

    /** Whether the argument at an index may be {@code name}: it is, or is missing, or is none of the names. */
    private static boolean mayMean(String[] args, int index, String name, Collection<String> names) {
        return index >= args.length || args[index].equals(name) || !names.contains(args[index]);
    }

    private static WorkloadOptions made(IFactory factory, Class<? extends WorkloadOptions> type) {
        try {
            return factory.create(type);
        } catch (Exception e) {
            throw new IllegalStateException("the options " + type.getName() + " cannot be created", e);
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
