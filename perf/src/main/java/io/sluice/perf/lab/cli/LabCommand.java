package io.sluice.perf.lab.cli;

import io.sluice.console.ExitCode;
import io.sluice.perf.lab.LabName;
import io.sluice.perf.lab.LabRemains;
import io.sluice.perf.lab.LinkTraffic;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Networks of hosts inside this machine. */
@Command(
        name = "lab",
        description = "Runs commands on hosts of a network inside this machine. Linux and root only.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        subcommands = LabRunCommand.class,
        footer = {"", "Begin with:   sluice lab run --hosts 3 --rate 100mbit -- ping -c 3 {address:0}"})
public final class LabCommand {
    @Spec
    private CommandSpec spec;

    @Command(
            name = "show",
            description = "Shows the running labs: links, rates and traffic so far.",
            mixinStandardHelpOptions = true)
    int show() {
        List<LabName> labs = LabRemains.labs();
        PrintWriter out = spec.commandLine().getOut();
        for (LabName lab : labs) {
            out.println(lab + (lab.isOwnerRunning() ? "" : ": its process has ended; sluice lab clean removes it"));
            if (lab.isOwnerRunning()) {
                TrafficTable.print(LinkTraffic.read(lab), out);
            }
        }
        if (labs.isEmpty()) {
            out.println("no lab runs");
        }
        out.flush();
        return ExitCode.OK;
    }

    @Command(
            name = "clean",
            description = {
                "Removes labs whose process has ended: their processes, networks and folders.",
                "The next lab does the same. Running labs are not changed."
            },
            mixinStandardHelpOptions = true)
    int clean() {
        List<LabName> removed = LabRemains.removeStale();
        PrintWriter out = spec.commandLine().getOut();
        removed.forEach(lab -> out.println("removed " + lab));
        if (removed.isEmpty()) {
            out.println("nothing to remove");
        }
        out.flush();
        return ExitCode.OK;
    }
}
