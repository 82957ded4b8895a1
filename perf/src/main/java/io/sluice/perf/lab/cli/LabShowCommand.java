package io.sluice.perf.lab.cli;

import io.sluice.console.ExitCode;
import io.sluice.perf.lab.LabName;
import io.sluice.perf.lab.LabRemains;
import io.sluice.perf.lab.TrafficReader;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Shows the running labs. */
@Command(
        name = "show",
        description = "Shows the running labs: links, rates and traffic so far.",
        mixinStandardHelpOptions = true)
public final class LabShowCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        LabRemains.require();
        List<LabName> labs = LabRemains.labs();
        PrintWriter out = spec.commandLine().getOut();
        for (LabName lab : labs) {
            out.println(lab + (lab.hasOwner() ? "" : ": its process has ended; sluice lab clean removes it"));
            if (lab.hasOwner()) {
                TrafficTable.print(TrafficReader.read(lab), out);
            }
        }
        if (labs.isEmpty()) {
            out.println("no lab runs");
        }
        out.flush();
        return ExitCode.OK;
    }
}
