package io.sluice.cli;

import io.sluice.cli.launch.NodeEvent;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.console.ExitCode;
import io.sluice.messaging.Settings;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.concurrent.Callable;
import org.agrona.concurrent.IdleStrategy;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs one server until all workers have left, or it is drained. */
@Command(
        name = "server",
        description = {
            "Runs one server. The first of a cluster coordinates it and states its terms.",
            "In an elastic job, SIGTERM makes any other server hand over its slices and leave; a second"
                    + " one ends it at once. A server that starts while such a job runs takes slices over, if the terms"
                    + " have a place for it (--max-servers)."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class ServerCommand implements Callable<Integer> {
    @Option(
            names = "--coordinate",
            description = "Coordinate the cluster, at the address --cluster. Only this server takes the terms of the"
                    + " cluster; other servers and the workers receive them.")
    private boolean coordinate;

    @Option(
            names = "--threading",
            paramLabel = "MODE",
            description =
                    "Threads for serving, heartbeats and coordination: dedicated (one each), shared (one for all) or"
                            + " invoker (as shared, and also for Aeron's client) (dedicated).")
    private String threading;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeOptions node;

    @Mixin
    private SnapshotOptions snapshots;

    @ArgGroup(validate = false, heading = "%nTerms of the cluster, for the server that coordinates it:%n")
    private ClusterOptions terms = new ClusterOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        ServerContext context = node.applyTo(new ServerContext());
        if (threading != null) {
            context.threading(Settings.constant("--threading", threading, ThreadingMode.class));
        }
        if (coordinate) {
            node.requireOneCoordinator();
            context.coordinate(terms.settings());
            snapshots.applyTo(context, node.snapshots());
            terms.applyTo(context);
        } else {
            refuseTerms();
        }
        try (Attachment attachment = node.process().attach();
                LocalDriver _ = LocalDriver.unlessRunning(node.process());
                Server server = launch(context)) {
            node.process().joined("server " + server.index());
            if (coordinate && server.restoredClock().isPresent()) {
                node.process()
                        .note(
                                "server 0",
                                "continuing from clock "
                                        + server.restoredClock().getAsLong());
            }
            if (!coordinate
                    && server.settings().isElastic()
                    && !server.settings().growsTrees()) {
                attachment.onLeaveRequested(() -> drain(server));
                if (!node.process().attached()) {
                    DrainSignal.asks(() -> drain(server));
                }
            }
            serve(server, context);
            report(server);
        }
        return ExitCode.OK;
    }

    private Server launch(ServerContext context) {
        node.joins(context, context.coordinate());
        return Server.launch(context);
    }

    /** Refuses options that only affect the server that coordinates. */
    private void refuseTerms() {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            Class<?> owner = ((Field) option.userObject()).getDeclaringClass();
            if (owner == ClusterOptions.class || owner == SnapshotOptions.class) {
                throw new IllegalArgumentException(option.longestName() + " is only for the coordinating server"
                        + " (--coordinate): the other nodes receive it from that server");
            }
        }
    }

    private void say(Server server, String what) {
        String name = "server " + server.index();
        if (node.process().attached()) {
            node.process().note(name, name + " " + what);
        } else {
            System.out.printf("%s: %s%n", name, what);
        }
    }

    private void drain(Server server) {
        say(server, "leaves once no other node depends on it");
        server.drain();
    }

    private static void serve(Server server, ServerContext context) throws InterruptedException {
        if (context.threading() != ThreadingMode.INVOKER) {
            server.run();
            return;
        }
        IdleStrategy idle = context.newIdleStrategy();
        while (!server.isOver()) {
            idle.idle(server.doWork());
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedException();
            }
        }
    }

    private void report(Server server) {
        ServerReport report = server.report();
        report.moves().forEach(move -> say(server, move.sentence()));
        if (server.isDrained()) {
            String why = report.version() < 0 ? "it had no slices yet" : "other servers have its slices";
            say(server, "has left: " + why + ", and the job continues");
        }
        if (node.process().attached()) {
            node.process()
                    .tell(new NodeEvent.ServerDone(
                            server.index(),
                            report.framesBroadcast(),
                            report.framesEarly(),
                            report.bytesBroadcast(),
                            report.residualMaxAbs(),
                            report.lastThreshold(),
                            report.framesRejected(),
                            report.framesTaken(),
                            report.compression(),
                            report.losses()));
        } else if (report.version() < 0) {
            System.out.printf("server %d: owned no slices%n", server.index());
        } else {
            System.out.printf(
                    "server %d: %,d rounds, %,d frames and %,d bytes to %d workers, %d frames rejected%n",
                    server.index(),
                    report.version(),
                    report.framesBroadcast(),
                    report.bytesBroadcast(),
                    server.settings().workers(),
                    report.framesRejected());
            for (ServerReport.Loss loss : report.losses()) {
                System.out.printf("server %d: %s%n", server.index(), loss.sentence());
            }
            if (!report.compression().rows().isEmpty()) {
                System.out.printf(
                        "server %d: compression: %s%n",
                        server.index(), report.compression().summary());
            }
        }
    }
}
