package io.sluice.perf.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.codecs.seal.ClusterSecret;
import io.sluice.perf.UnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The processes of one job: a media driver for each host, coordinators if there are several, servers, workers. They
 * live one life or several: what has died is started again, and goes on from the snapshots.
 */
final class Cluster implements AutoCloseable {
    private static final long POLL_MS = 10;
    private static final long START_SECONDS = 60;

    private final SluiceProgram program;
    private final Site site;
    private final Terms terms;
    private final Path snapshots;
    private final Path secret;
    private final Consumer<String> complaints;
    private final Progress progress = new Progress();
    private final ClusterProcess[] drivers;
    private final boolean[] driverReady;
    private final ClusterProcess[] nodes;
    private final Coordinators coordinators;

    /** All that were ever started. */
    private final List<ClusterProcess> processes = new CopyOnWriteArrayList<>();

    /** Started while the others live, of whom the coordinator has not said that they are back. */
    private final List<ClusterProcess> returning = new CopyOnWriteArrayList<>();

    private volatile long startedNs;

    /** Whether its nodes were ended by us. */
    private boolean abandoned;

    /**
     * Of which nothing runs yet.
     *
     * @param folder   for the secret, and what coordinators keep
     * @param snapshots folder in which each node has its own
     * @param complaints hears what processes say on standard error
     */
    Cluster(SluiceProgram program, Site site, Terms terms, Path folder, Path snapshots, Consumer<String> complaints)
            throws IOException {
        this.program = program;
        this.site = site;
        this.terms = terms;
        this.snapshots = snapshots;
        this.complaints = complaints;
        this.drivers = new ClusterProcess[site.hosts()];
        this.driverReady = new boolean[site.hosts()];
        this.nodes = new ClusterProcess[terms.servers() + terms.workers()];
        this.secret = folder.resolve("secret-" + System.nanoTime());
        ClusterSecret.create(secret);
        this.coordinators = new Coordinators(terms, site, folder.resolve("coordinators"), secret, this::launch);
    }

    Terms terms() {
        return terms;
    }

    Site site() {
        return site;
    }

    Progress progress() {
        return progress;
    }

    Path snapshots() {
        return snapshots;
    }

    /** All nodes: the servers, of which the first coordinates, then the workers. */
    List<ClusterProcess> nodes() {
        return List.of(nodes);
    }

    List<ClusterProcess> drivers() {
        return List.of(drivers);
    }

    Coordinators coordinators() {
        return coordinators;
    }

    /** The number of a node among the workers, below 0 for a server. */
    int workerIndex(ClusterProcess node) {
        return Arrays.asList(nodes).indexOf(node) - terms.servers();
    }

    /** Starts the drivers that do not run, and all nodes, of which none may run. */
    void start() throws IOException, InterruptedException {
        progress.restart();
        returning.clear();
        abandoned = false;
        startedNs = System.nanoTime();
        startDrivers();
        coordinators.start();
        for (int node = 0; node < nodes.length; node++) {
            startNode(node);
        }
    }

    /** Starts what has died, while the rest lives on; returns how many nodes that were. */
    int startDead() throws IOException, InterruptedException {
        startDrivers();
        coordinators.startDead();
        int started = 0;
        for (int node = 0; node < nodes.length; node++) {
            if (isDead(node)) {
                progress.restart(node - terms.servers());
                startNode(node);
                returning.add(nodes[node]);
                started++;
            }
        }
        return started;
    }

    /**
     * Ends those who are still on their way back. If the coordinator is dead, they have never met it, and wait for it
     * as long as any node that joins: {@code sluice.answer.timeout}.
     */
    void endReturning() {
        returning.forEach(ClusterProcess::end);
        returning.clear();
    }

    private void startDrivers() throws IOException, InterruptedException {
        for (int host = 0; host < drivers.length; host++) {
            if (drivers[host] == null || !drivers[host].isAlive()) {
                startDriver(host);
            }
        }
        await(START_SECONDS, "media drivers", () -> {
            for (boolean ready : driverReady) {
                if (!ready) {
                    return false;
                }
            }
            return true;
        });
    }

    private void startDriver(int host) throws IOException {
        driverReady[host] = false;
        List<String> command =
                List.of("driver", "--attached", "--aeron-dir", site.driver(host).toString());
        drivers[host] = new ClusterProcess(
                "driver " + host,
                host,
                site.process(host, program.command(command)),
                event -> driverReady[host] |= event.path("text").asText().startsWith("media driver in"),
                complaints);
        processes.add(drivers[host]);
    }

    private void startNode(int node) throws IOException {
        int worker = node - terms.servers();
        int host = (worker < 0 ? node : worker) % site.hosts();
        List<String> common = Terms.node(site.cluster(), site.driver(host), snapshots, secret);
        List<String> command = worker < 0 ? terms.server(node, common) : terms.worker(worker, common);
        nodes[node] = launch(worker < 0 ? "server " + node : "worker " + worker, host, command, _ -> {});
    }

    private ClusterProcess launch(String name, int host, List<String> command, Consumer<JsonNode> reports)
            throws IOException {
        Consumer<JsonNode> events = event -> {
            onReport(name, event);
            reports.accept(event);
        };
        ClusterProcess process =
                new ClusterProcess(name, host, site.process(host, program.command(command)), events, complaints);
        processes.add(process);
        return process;
    }

    /** A line that is no report is the JVM's own: of its threads, or of its crash. */
    private void onReport(String name, JsonNode event) {
        progress.accept(event);
        String text = event.path("text").asText();
        switch (event.path("event").asText()) {
            case "note" -> {
                returning.removeIf(node -> text.startsWith(node.name() + " is back after "));
                complaints.accept(event.path("node").asText() + " notes: " + text);
            }
            case "line" -> complaints.accept(name + " prints: " + text);
            default -> {} // of the trainer
        }
    }

    /** Whether a node has come to a bad end, by our doing or not, or nobody coordinates the nodes any more. */
    boolean isBroken() {
        return IntStream.range(0, nodes.length).anyMatch(this::isDead)
                || coordinators.haveClosed() && !progress.isEnding();
    }

    /** Whether the job cannot go on: what is left of it has to end, and all are to be started again. */
    boolean hasFailed() {
        return abandoned || (coordinators.areSeveral() ? coordinators.haveClosed() : !nodes[0].isAlive());
    }

    /** Nobody misses a worker that has done its work. */
    private boolean isDead(int node) {
        return !nodes[node].isAlive() && !nodes[node].isDone() && !progress.isDone(node - terms.servers());
    }

    /** Processes that run although their media driver does not: they have to end, and say so. */
    List<ClusterProcess> stranded() {
        return Stream.concat(living().stream(), coordinators.processes().stream())
                .filter(process -> process.isAlive() && !drivers[process.host()].isAlive())
                .toList();
    }

    /** Whether all nodes run, and all workers have begun. */
    boolean isTraining() {
        return Stream.of(nodes).allMatch(node -> node != null && node.isAlive()) && hasMovedSince(startedNs);
    }

    /** Whether all nodes have ended well. */
    boolean isFinished() {
        return Stream.of(nodes).noneMatch(ClusterProcess::isAlive) && !isBroken();
    }

    /** Nodes that still run, and not because they stand still. */
    List<ClusterProcess> living() {
        return Stream.of(nodes).filter(ClusterProcess::isAlive).toList();
    }

    /** Whether every worker that runs has come on since a time. */
    boolean hasMovedSince(long timeNs) {
        for (int worker = 0; worker < terms.workers(); worker++) {
            ClusterProcess node = nodes[terms.servers() + worker];
            if (node.isAlive() && !node.isStopped() && !progress.hasMovedSince(worker, timeNs)) {
                return false;
            }
        }
        return true;
    }

    /** Reads to the end what nodes have said. */
    void awaitOutput() throws InterruptedException {
        awaitOutput(nodes());
    }

    /** Reads to the end what some nodes have said, which have ended. */
    void awaitOutput(List<ClusterProcess> ended) throws InterruptedException {
        for (ClusterProcess node : ended) {
            node.awaitOutput();
        }
    }

    private static void await(long seconds, String what, BooleanSupplier condition) throws InterruptedException {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(seconds)) {
                throw new UnavailableException(what + " have not started within " + seconds + " s");
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** Exceptions that processes of all lives let escape. */
    int traces() {
        return processes.stream().mapToInt(ClusterProcess::traces).sum();
    }

    /** Ends the nodes, whatever they do. */
    void endNodes() {
        abandoned = true;
        Stream.of(nodes).filter(Objects::nonNull).forEach(ClusterProcess::end);
    }

    @Override
    public void close() throws IOException {
        endNodes();
        coordinators.end();
        Stream.of(drivers).filter(Objects::nonNull).forEach(ClusterProcess::end);
        Files.deleteIfExists(secret);
    }
}
