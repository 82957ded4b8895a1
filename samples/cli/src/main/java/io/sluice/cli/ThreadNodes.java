package io.sluice.cli;

import io.sluice.cli.launch.NodeEvent;
import io.sluice.cli.launch.NodeMain;
import io.sluice.samples.data.Dataset;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IFactory;

/**
 * Runs nodes on threads of this JVM by the commands of separate processes, so that both refuse, fail and report in the
 * same way. All nodes learn from one copy of the examples.
 */
final class ThreadNodes implements NodeMain {
    private final Dataset data;

    ThreadNodes(Dataset data) {
        this.data = data;
    }

    @Override
    public int run(List<String> arguments, Consumer<NodeEvent> events, PrintWriter err) {
        IFactory defaults = CommandLine.defaultFactory();
        IFactory factory = new IFactory() {
            @Override
            public <K> K create(Class<K> type) throws Exception {
                if (type == ProcessOptions.class) {
                    return type.cast(new ProcessOptions(events));
                }
                return type == LrOptions.class ? type.cast(new LrOptions(data)) : defaults.create(type);
            }
        };
        CommandLine line = Sluice.commandLine(factory, new Failures(events));
        line.setErr(err).setColorScheme(Help.defaultColorScheme(Ansi.OFF));
        return Sluice.execute(line, arguments.toArray(String[]::new));
    }
}
