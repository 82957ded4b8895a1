package io.sluice.perf;

import io.sluice.perf.bandwidth.BandwidthCommand;
import io.sluice.perf.broadcast.BroadcastCommand;
import io.sluice.perf.broadcast.OneHostCommand;
import io.sluice.perf.codecs.CodecCommand;
import io.sluice.perf.exchange.ExchangeCommand;
import io.sluice.perf.filter.FilterCommand;
import io.sluice.perf.hops.HopsCommand;
import io.sluice.perf.lab.cli.LabCommand;
import io.sluice.perf.layers.LayersCommand;
import io.sluice.perf.link.LinkCommand;
import io.sluice.perf.managed.ManagedCommand;
import io.sluice.perf.repair.RepairCommand;
import io.sluice.perf.seal.SealCommand;
import io.sluice.perf.shared.SharedCommand;
import io.sluice.perf.simulation.SimulateCommand;
import io.sluice.perf.snapshots.SnapshotsCommand;
import io.sluice.perf.training.RecordCommand;
import io.sluice.perf.urgency.UrgencyCommand;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.UnmatchedArgumentException;

/** The measuring commands: {@code sluice perf}. */
@Command(
        name = "sluice perf",
        description = "Measures Sluice on this machine, beside what it is to be compared with.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        subcommands = {
            FilterCommand.class,
            CodecCommand.class,
            LinkCommand.class,
            BandwidthCommand.class,
            SealCommand.class,
            UrgencyCommand.class,
            LayersCommand.class,
            SharedCommand.class,
            ManagedCommand.class,
            SimulateCommand.class,
            BroadcastCommand.class,
            OneHostCommand.class,
            ExchangeCommand.class,
            HopsCommand.class,
            RepairCommand.class,
            SnapshotsCommand.class,
            RecordCommand.class,
            LabCommand.class
        },
        footer = {"", "Begin with:   sluice perf filter"})
public final class Perf {
    private Perf() {}

    /**
     * Runs one command and ends the process with its exit code.
     *
     * @param args the command line behind {@code sluice perf}, or {@code lab} and what is behind it
     */
    public static void main(String[] args) {
        System.setProperty("java.awt.headless", "true");
        System.exit(run(args));
    }

    /**
     * Runs one command.
     *
     * @param args the command line behind {@code sluice perf}
     * @return the exit code
     */
    public static int run(String... args) {
        CommandLine line = commandLine();
        if (args.length > 0 && "lab".equals(args[0])) {
            // It has a word of its own on the command line, beside perf.
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
        line.setExecutionExceptionHandler(new Failures());
        line.setParameterExceptionHandler((exception, arguments) -> {
            CommandLine command = exception.getCommandLine();
            List<String> meant =
                    exception instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions() : List.of();
            String hint = meant.isEmpty() ? "" : "; did you mean " + String.join(" or ", meant) + "?";
            command.getErr()
                    .println(command.getColorScheme()
                            .errorText("sluice: " + exception.getMessage() + hint + " (see "
                                    + command.getCommandSpec().qualifiedName() + " --help)"));
            return ExitCode.USAGE;
        });
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        return line;
    }
}
