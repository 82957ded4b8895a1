package io.sluice.cli;

import io.sluice.cli.data.DataCommand;
import io.sluice.cli.tree.TreeCommand;
import io.sluice.console.ExitCode;
import io.sluice.console.UsageErrors;
import io.sluice.messaging.JvmAccess;
import io.sluice.messaging.api.MessagingException;
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
            TreeCommand.class,
            DataCommand.class
        },
        footer = {
            "",
            "Begin with:   sluice train lr",
            "One host:     train starts the media driver, the servers and the workers, and ends them all.",
            "Many hosts:   sluice driver on each, sluice server --coordinate on the first, then the others:",
            "              see docs/guide.md.",
            "Look on:      sluice stat, while a job runs: links, agents and nodes of this host, live.",
            "Real data:    sluice data lists public data sets; sluice data NAME DIR obtains one.",
            "Measure:      sluice perf --help",
            "Network lab:  sluice lab --help"
        })
public final class Sluice {

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
     * @param failures turns what they throw into an exit code
     */
    static CommandLine commandLine(IFactory factory, Failures failures) {
        CommandLine line = new CommandLine(new Sluice(), factory);
        line.setExecutionStrategy(new EachOptionOnce());
        line.setExecutionExceptionHandler(failures);
        line.setParameterExceptionHandler(new UsageErrors());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        OptionGroups.applyTo(line);
        return line;
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
