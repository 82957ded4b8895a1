package io.sluice.trials.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.codecs.api.ClusterSecret;
import io.sluice.consistency.membership.SharedSnapshot;
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
import org.agrona.concurrent.SystemNanoClock;

/**
 * The processes of one job: a media driver for each host, coordinators if there are several, servers, workers. They
 * live one life or several: what has died is started again, and goes on from the snapshots. Where nodes come and go, a
 * place has none now, and another then.
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

    /** By place, those of servers first; null where nobody has been. */
    private final ClusterProcess[] nodes;

    private final Places places;
    private final Coordinators coordinators;

    /** All that were ever started. */
    private final List<ClusterProcess> processes = new CopyOnWriteArrayList<>();

    /** Started while the others live, of whom the coordinator has not said that they are back. */
    private final List<ClusterProcess> returning = new CopyOnWriteArrayList<>();

    private volatile long startedNs;
    private SharedSnapshot begun;

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

    /** All nodes: the servers, of which the first coordinates, then the workers. */
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

    /** The number of a node among the workers, below 0 for a server. */
    private int worker(int node) {
        return node - terms.serverPlaces();
    }

    /** The hash of all replicas that were there at the end; several if they differ. */
    String replicaHash() {
        return progress.replicaHash(places.lastCrew());
    }

    /** Starts the drivers that do not run, and all nodes, of which none may run. */
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
            if (places.isThere(node) || places.isComing(node)) {
                startNode(node);
            } else {
                nodes[node] = null;
            }
        }
    }

    /** Starts a node in a place that is empty, while the job runs. */
    ClusterProcess startNewcomer(int node) throws IOException {
        progress.restart(worker(node));
        places.comes(node);
        startNode(node);
        return nodes[node];
    }

    /** Asks a node to go, which takes it a few clocks. */
    ClusterProcess askToGo(int node) {
        places.goes(node);
        nodes[node].askToGo();
        return nodes[node];
    }

    /** Places of nodes that have gone, or have come in vain, are empty again; says what these complain of. */
    void sweep() throws InterruptedException {
        for (int node : places.underWay(0)) {
            ClusterProcess process = nodes[node];
            if (!process.isAlive() && !isDead(node)) {
                process.awaitOutput();
                if (!process.isDone()) {
                    complaints.accept("turned away: " + process.ending());
                }
                places.ended(node);
            }
        }
    }

    /** Nodes that have been on their way in or out for longer than a time. */
    List<ClusterProcess> underWay(long ms) {
        return Arrays.stream(places.underWay(ms)).mapToObj(node -> nodes[node]).toList();
    }

    /** Starts what has died, while the rest lives on; returns how many nodes that were. */
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
     * Ends those who are still on their way in. If the coordinator is dead, they have never met it, and wait for it as
     * long as any node that joins: {@code sluice.answer.timeout}.
     */
    void endReturning() {
        returning.forEach(ClusterProcess::end);
        Arrays.stream(places.underWay(0)).filter(places::isComing).forEach(node -> nodes[node].end());
        returning.clear();
    }

    /** Starts the media drivers that do not run, and waits until they do. */
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

    /** A line that is no report is the JVM's own: of its threads, or of its crash. */
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
            default -> {} // of the trainer
        }
    }

    /** Whether a node has come to a bad end, by our doing or not, or nobody coordinates the nodes any more. */
    boolean isBroken() {
        return IntStream.range(0, nodes.length).anyMatch(this::isDead) || coordinators.haveClosed() && !isEnding();
    }

    /** Whether some worker has done all its work, and did not go before. */
    boolean isEnding() {
        return IntStream.range(0, nodes.length).anyMatch(node -> progress.isDone(worker(node)) && places.isThere(node));
    }

    /** Whether the job cannot go on: what is left of it has to end, and all are to be started again. */
    boolean hasFailed() {
        return abandoned || (coordinators.areSeveral() ? coordinators.haveClosed() : !nodes[0].isAlive());
    }

    /** Nobody misses a worker that has done its work. */
    private boolean isDead(int node) {
        return places.isMissed(node)
                && !nodes[node].isAlive()
                && !nodes[node].isDone()
                && !progress.isDone(worker(node));
    }

    /** Processes that run although their media driver does not: they have to end, and say so. */
    List<ClusterProcess> stranded() {
        return Stream.concat(living().stream(), coordinators.processes().stream())
                .filter(process -> process.isAlive() && !drivers[process.host()].isAlive())
                .toList();
    }

    /** Whether all nodes run, and all workers have begun. */
    boolean isTraining() {
        return IntStream.range(0, nodes.length)
                        .filter(places::isThere)
                        .allMatch(node -> nodes[node] != null && nodes[node].isAlive())
                && hasMovedSince(startedNs);
    }

    /** Whether all nodes have ended well. */
    boolean isFinished() {
        return living().isEmpty() && !isBroken();
    }

    /** Nodes that still run, and not because they stand still. */
    List<ClusterProcess> living() {
        return nodes().stream().filter(ClusterProcess::isAlive).toList();
    }

    /** Whether every worker that runs, and is neither on its way in nor out, has come on since a time. */
    boolean hasMovedSince(long timeNs) {
        for (int at = terms.serverPlaces(); at < nodes.length; at++) {
            ClusterProcess node = nodes[at];
            boolean counts = places.isThere(at) && node.isAlive() && !node.isStopped();
            if (counts && !progress.hasMovedSince(worker(at), timeNs)) {
                return false;
            }
        }
        return true;
    }

    /** Reads to the end what nodes have said. */
    void awaitOutput() throws InterruptedException {
        awaitOutput(nodes());
    }

    /** Reads to the end what some processes have said, which have ended. */
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

    /** Exceptions that processes of all lives let escape. */
    int traces() {
        return processes.stream().mapToInt(ClusterProcess::traces).sum();
    }

    /** Processes of all lives that have ended badly, not by our doing, without a word. */
    List<ClusterProcess> unexplainedEnds() throws InterruptedException {
        awaitOutput(processes.stream().filter(process -> !process.isAlive()).toList());
        return processes.stream().filter(ClusterProcess::isUnexplained).toList();
    }

    /** Ends the nodes, whatever they do. */
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
