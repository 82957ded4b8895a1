package io.sluice.cli;

import io.sluice.cli.launch.NodeEvent;
import io.sluice.cli.launch.NodeMain;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IFactory;

/**
 * Runs nodes on threads of this JVM by the commands of separate processes, so that both refuse, fail and report in the
 * same way. All nodes train with one copy of the data.
 */
final class ThreadNodes implements NodeMain {
    private final WorkloadOptions options;

    /** Creates nodes that train the workload that these options have loaded. */
    ThreadNodes(WorkloadOptions options) {
        this.options = options;
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
                K made = defaults.create(type);
                if (type == options.getClass()) {
                    ((WorkloadOptions) made).share(options);
                }
                return made;
            }
        };
        String[] args = arguments.toArray(String[]::new);
        CommandLine line = Sluice.commandLine(factory, new Failures(events), args);
        line.setErr(err).setColorScheme(Help.defaultColorScheme(Ansi.OFF));
        return Sluice.execute(line, args);
    }
}
