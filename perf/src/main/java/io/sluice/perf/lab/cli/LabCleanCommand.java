package io.sluice.perf.lab.cli;

import io.sluice.console.ExitCode;
import io.sluice.perf.lab.LabName;
import io.sluice.perf.lab.LabRemains;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Removes the labs of killed processes. */
@Command(
        name = "clean",
        description = {
            "Removes labs whose process has ended: their processes, networks and folders.",
            "The next lab does the same. Running labs are not changed."
        },
        mixinStandardHelpOptions = true)
public final class LabCleanCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
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
