package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.membership.SharedSnapshot;
import io.sluice.console.UnavailableException;
import io.sluice.perf.nodes.SluiceProgram;
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
import org.agrona.concurrent.SystemNanoClock;

/**
 * The processes of one job: a media driver for each host, coordinators if there are several, servers and workers. A job
 * may be started several times: a dead process is started again and continues from the snapshots. With {@code
 * --max-workers}, a place may be empty for a time.
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
    private final Progress progress = new Progress(SystemNanoClock.INSTANCE);
    private final Notices notices = new Notices(SystemNanoClock.INSTANCE);
    private final ClusterProcess[] drivers;
    private final boolean[] driverReady;

    /** Processes by node number, servers first; null for a place that has had no process. */
    private final ClusterProcess[] nodes;

    private final Places places;
    private final Coordinators coordinators;

    /** All processes started so far. */
    private final List<ClusterProcess> processes = new CopyOnWriteArrayList<>();

    /** Nodes started while the others run, which the coordinator has not yet reported as back. */
    private final List<ClusterProcess> returning = new CopyOnWriteArrayList<>();

    private volatile long startedNs;
    private SharedSnapshot begun;

    /** Whether the trial has ended the nodes. */
    private boolean abandoned;

    /**
     * Creates a cluster without processes.
     *
     * @param folder folder for the secret and the coordinators' data
     * @param snapshots folder in which each node has its own
     * @param complaints receives the lines that processes write to standard error
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
        this.nodes = new ClusterProcess[terms.serverPlaces() + terms.workerPlaces()];
        this.places = new Places(terms, SystemNanoClock.INSTANCE);
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

    Notices notices() {
        return notices;
    }

    Path snapshots() {
        return snapshots;
    }

    /** All nodes: the servers, the first of which is the coordinator, then the workers. */
    List<ClusterProcess> nodes() {
        return Stream.of(nodes).filter(Objects::nonNull).toList();
    }

    List<ClusterProcess> servers() {
        return Stream.of(nodes)
                .limit(terms.serverPlaces())
                .filter(Objects::nonNull)
                .toList();
    }

    List<ClusterProcess> workers() {
        return Stream.of(nodes)
                .skip(terms.serverPlaces())
                .filter(Objects::nonNull)
                .toList();
    }

    Places places() {
        return places;
    }

    List<ClusterProcess> drivers() {
        return List.of(drivers);
    }

    Coordinators coordinators() {
        return coordinators;
    }

    /** The index of a node among the workers; negative for a server. */
    private int worker(int node) {
        return node - terms.serverPlaces();
    }

    /** The hash of all replicas at the end of the job; several if they differ. */
    String replicaHash() {
        return progress.replicaHash(places.lastWorkerSet());
    }

    /** Starts the drivers that are not running, and all nodes. No node may be running. */
    void start() throws IOException, InterruptedException {
        notices.restart();
        begun = SharedSnapshot.newest(terms.settings(), snapshots);
        progress.restart(begun.workerSets(), Terms.SLICES);
        places.restart(begun);
        returning.clear();
        abandoned = false;
        startedNs = System.nanoTime();
        startDrivers();
        coordinators.start(begun.option());
        for (int node = 0; node < nodes.length; node++) {
            if (places.isMember(node) || places.isJoining(node)) {
                startNode(node);
            } else {
                nodes[node] = null;
            }
        }
    }

    /** Starts a node in an empty place while the job runs. */
    ClusterProcess startNewcomer(int node) throws IOException {
        progress.restart(worker(node));
        places.joins(node);
        startNode(node);
        return nodes[node];
    }

    /** Requests a node to leave; it leaves a few clocks later. */
    ClusterProcess requestLeave(int node) {
        places.leaves(node);
        nodes[node].requestLeave();
        return nodes[node];
    }

    /** Empties the places of nodes that have left or were rejected, and reports the reason of a rejection. */
    void sweep() throws InterruptedException {
        for (int node : places.joiningOrLeaving(0)) {
            ClusterProcess process = nodes[node];
            if (!process.isAlive() && !isDead(node)) {
                process.awaitOutput();
                if (!process.isDone()) {
                    complaints.accept("rejected: " + process.ending());
                }
                places.ended(node);
            }
        }
    }

    /** Nodes that have been joining or leaving for longer than a time. */
    List<ClusterProcess> joiningOrLeaving(long ms) {
        return Arrays.stream(places.joiningOrLeaving(ms))
                .mapToObj(node -> nodes[node])
                .toList();
    }

    /** Starts dead processes again while the others run; returns the number of nodes started. */
    int startDead() throws IOException, InterruptedException {
        startDrivers();
        coordinators.startDead();
        int started = 0;
        for (int node = 0; node < nodes.length; node++) {
            if (isDead(node)) {
                progress.restart(worker(node));
                startNode(node);
                returning.add(nodes[node]);
                started++;
            }
        }
        return started;
    }

    /**
     * Ends the nodes that are still joining. With a dead coordinator they would wait for it as long as any node that
     * joins: {@code sluice.answer.timeout}.
     */
    void endReturning() {
        returning.forEach(ClusterProcess::end);
        Arrays.stream(places.joiningOrLeaving(0)).filter(places::isJoining).forEach(node -> nodes[node].end());
        returning.clear();
    }

    /** Starts the media drivers that are not running, and waits until they are ready. */
    void startDrivers() throws IOException, InterruptedException {
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
        int worker = worker(node);
        int host = (worker < 0 ? node : worker) % site.hosts();
        List<String> common = terms.node(site.cluster(), site.driver(host), snapshots, secret);
        List<String> command = worker < 0 ? terms.server(node, common, begun.option()) : terms.worker(worker, common);
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

    /** A line that is not a report comes from the JVM: a thread dump or a crash. */
    private void onReport(String name, JsonNode event) {
        progress.accept(event);
        String text = event.path("text").asText();
        switch (event.path("event").asText()) {
            case "note" -> {
                returning.removeIf(node -> text.startsWith(node.name() + " is back after "));
                places.accept(text);
                notices.accept(text);
                complaints.accept(event.path("node").asText() + " notes: " + text);
            }
            case "line" -> complaints.accept(name + " prints: " + text);
            default -> {} // reports of the trainer
        }
    }

    /** Whether a node has died, killed by the trial or not, or the coordinators have ended before the job has. */
    boolean isBroken() {
        return IntStream.range(0, nodes.length).anyMatch(this::isDead) || coordinators.haveClosed() && !isEnding();
    }

    /** Whether some worker has completed all its clocks, and did not leave before. */
    boolean isEnding() {
        return IntStream.range(0, nodes.length)
                .anyMatch(node -> progress.isDone(worker(node)) && places.isMember(node));
    }

    /** Whether the job cannot continue: its remaining processes have to end, and all nodes are started again. */
    boolean hasFailed() {
        return abandoned || (coordinators.areSeveral() ? coordinators.haveClosed() : !nodes[0].isAlive());
    }

    /** A worker that has completed its clocks may end. */
    private boolean isDead(int node) {
        return places.isMissed(node)
                && !nodes[node].isAlive()
                && !nodes[node].isDone()
                && !progress.isDone(worker(node));
    }

    /** Processes whose media driver is dead: they have to end and report it. */
    List<ClusterProcess> stranded() {
        return Stream.concat(living().stream(), coordinators.processes().stream())
                .filter(process -> process.isAlive() && !drivers[process.host()].isAlive())
                .toList();
    }

    /** Whether all nodes run and all workers train. */
    boolean isTraining() {
        return IntStream.range(0, nodes.length)
                        .filter(places::isMember)
                        .allMatch(node -> nodes[node] != null && nodes[node].isAlive())
                && hasMovedSince(startedNs);
    }

    /** Whether all nodes have ended without a failure. */
    boolean isFinished() {
        return living().isEmpty() && !isBroken();
    }

    /** Nodes whose processes run. */
    List<ClusterProcess> living() {
        return nodes().stream().filter(ClusterProcess::isAlive).toList();
    }

    /**
     * Whether every worker that runs and is neither stopped, joining nor leaving has completed a clock since a time.
     */
    boolean hasMovedSince(long timeNs) {
        for (int at = terms.serverPlaces(); at < nodes.length; at++) {
            ClusterProcess node = nodes[at];
            boolean counts = places.isMember(at) && node.isAlive() && !node.isStopped();
            if (counts && !progress.hasMovedSince(worker(at), timeNs)) {
                return false;
            }
        }
        return true;
    }

    /** Waits until all output of the nodes is read. */
    void awaitOutput() throws InterruptedException {
        awaitOutput(nodes());
    }

    /** Waits until all output of some processes that have ended is read. */
    void awaitOutput(List<ClusterProcess> ended) throws InterruptedException {
        for (ClusterProcess process : ended) {
            process.awaitOutput();
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

    /** Exceptions that escaped in all processes started so far. */
    int traces() {
        return processes.stream().mapToInt(ClusterProcess::traces).sum();
    }

    /** Processes, of all started so far, that failed without a message and were not killed by the trial. */
    List<ClusterProcess> unexplainedEnds() throws InterruptedException {
        awaitOutput(processes.stream().filter(process -> !process.isAlive()).toList());
        return processes.stream().filter(ClusterProcess::isUnexplained).toList();
    }

    /** Ends all nodes. */
    void endNodes() {
        abandoned = true;
        nodes().forEach(ClusterProcess::end);
    }

    @Override
    public void close() throws IOException {
        endNodes();
        coordinators.end();
        Stream.of(drivers).filter(Objects::nonNull).forEach(ClusterProcess::end);
        Files.deleteIfExists(secret);
    }
}
