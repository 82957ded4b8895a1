package io.sluice.consistency;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Initialiser;
import io.sluice.consistency.worker.Table;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A driver, a server or a worker in a JVM of its own, which a test may kill. */
public final class ChildNode implements AutoCloseable {
    private static final String READY = "ready";

    private final Process process;

    private ChildNode(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(command(ChildNode.class, arguments));
        command.add(1, "-XX:TieredStopAtLevel=1"); // starts sooner
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The command line that runs a main class of the tests in a JVM of its own, with the options of this one. */
    public static List<String> command(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.startsWith("-agent")) // of a debugger, whose port is taken
                .forEach(command::add);
        command.add("-Dsluice.udp.batch=" + new Driver.Context().udpBatch().text()); // set for this JVM as it runs
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** A media driver. */
    public static ChildNode driver(Path directory) throws IOException {
        return new ChildNode("driver", directory.toString());
    }

    /** A server that joins the cluster. */
    public static ChildNode server(int index, String address, Path directory) throws IOException {
        return new ChildNode("server", directory.toString(), address, Integer.toString(index));
    }

    /** The server that coordinates a cluster of two servers and two workers. */
    public static ChildNode coordinator(String address, Path directory, int livenessMs) throws IOException {
        return new ChildNode("coordinator", directory.toString(), address, Integer.toString(livenessMs));
    }

    /** A worker that trains as {@link #train} does. */
    public static ChildNode worker(int index, String address, Path directory) throws IOException {
        return new ChildNode("worker", directory.toString(), address, Integer.toString(index));
    }

    /** Waits until the node has started, which needs the rest of its cluster. */
    public ChildNode awaitReady() throws IOException {
        assertEquals(READY, process.inputReader(StandardCharsets.UTF_8).readLine());
        return this;
    }

    /** Ends the process as {@code kill -9} does; returns when it has ended. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        kill();
    }

    /** Trains until the process is killed. */
    public static void train(Worker worker, Runnable onFirst) {
        Table table = worker.table("w", 20, 20);
        worker.start(Initialiser.ZEROS);
        float[] update = new float[400];
        while (true) {
            table.sync();
            update[(int) (worker.completed() % update.length)] = 1;
            table.update(update);
            if (1 == worker.clock()) {
                onFirst.run();
            }
        }
    }

    public static void main(String[] args) {
        Path directory = Path.of(args[1]);
        switch (args[0]) {
            case "driver" -> {
                Driver.launch(new Driver.Context().directory(directory));
                ready();
                while (true) {
                    LockSupport.park();
                }
            }
            case "worker" -> {
                WorkerContext context = new WorkerContext()
                        .cluster(args[2])
                        .aeronDirectory(directory)
                        .index(Integer.parseInt(args[3]));
                train(Worker.connect(context), ChildNode::ready);
            }
            case "server" ->
                serve(new ServerContext()
                        .cluster(args[2])
                        .aeronDirectory(directory)
                        .index(Integer.parseInt(args[3])));
            default -> {
                ClusterSettings terms = TestCluster.terms()
                        .workers(2)
                        .heartbeatMs(100)
                        .livenessMs(Integer.parseInt(args[3]))
                        .build();
                serve(new ServerContext()
                        .cluster(args[2])
                        .aeronDirectory(directory)
                        .coordinate(terms)
                        .index(0));
            }
        }
    }

    private static void serve(ServerContext context) {
        Server server = Server.launch(context);
        ready();
        server.run();
    }

    private static void ready() {
        System.out.println(READY);
    }
}
