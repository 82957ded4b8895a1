package io.sluice.cli.tree;

import io.sluice.console.ExitCode;
import io.sluice.tree.topology.TopologyFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints a topology as parsed. */
@Command(
        name = "show",
        description = "Checks a topology file and prints the network back: hosts, switches and the rates of links.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class TreeShowCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--topology",
            paramLabel = "FILE",
            required = true,
            description = "Network, in YAML; docs/reference.md has the format.")
    private Path topology;

    @Option(names = "--svg", paramLabel = "FILE", description = "Write a drawing of the network.")
    private Path svg;

    @Override
    public Integer call() throws IOException {
        Picture.check("--svg", svg);
        TopologyFile file = TopologyFile.read(topology);
        PrintWriter out = spec.commandLine().getOut();
        new TopologyText(file).print(out);
        if (svg != null) {
            Picture.write(svg, new TopologyPicture(file.topology()).draw());
            out.println("drawn: " + svg);
        }
        out.flush();
        return ExitCode.OK;
    }
}
