package io.sluice.cli.launch;

import io.sluice.consistency.membership.LocalMembers;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.messaging.Channels;
import io.sluice.messaging.PhiAccrualDetector;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.SpinLimit;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The media driver and all nodes of a cluster on this host. Closing it ends them and removes their files. */
public final class HostCluster implements AutoCloseable {
    private static final String PREFIX = "sluice-" + System.getProperty("user.name") + "-job-";

    /** Exit code of a job that lost a node, as the command line defines it. */
    private static final int CLUSTER_FAILED = 76;

    private static final long ENDING_MS = 1_000;

    private final Driver driver;
    private final List<String> addresses;
    private final List<Child> coordinators = new CopyOnWriteArrayList<>();
    private final List<Child> servers = new CopyOnWriteArrayList<>();
    private final List<Child> workers = new CopyOnWriteArrayList<>();
    private final Map<String, List<String>> commands = new ConcurrentHashMap<>();
    private final Consumer<NodeEvent> events;

    /** The object that runs nodes on threads of this JVM; null if each has a process of its own. */
    private final NodeMain main;

    private final Casualties casualties;
    private final Restarts restarts;

    /** Whether all nodes end with the first node that fails. */
    private final boolean failsTogether;

    private final PrintStream warnings;
    private final Thread hook = new Thread(this::end, "sluice-cluster-shutdown");
    private final CountDownLatch ending = new CountDownLatch(1);
    private boolean ended;

    private HostCluster(
            Driver driver,
            List<String> addresses,
            Casualties casualties,
            Restarts restarts,
            boolean failsTogether,
            PrintStream warnings,
            Consumer<NodeEvent> events,
            NodeMain main) {
        this.main = main;
        this.restarts = restarts;
        this.failsTogether = failsTogether;
        this.warnings = warnings;
        this.casualties = casualties;
        this.driver = driver;
        this.addresses = addresses;
        this.events = events;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Launches the media driver.
     *
     * @param directory directory of the driver, or null for a new one of this job
     * @param several number of coordinators in processes of their own; 0 if server 0 is the coordinator
     * @param settings settings from which the memory of the logs is calculated
     * @param context context of the driver with the user's settings; not to be used again
     * @param warnings receives advice about this machine, notes about lost workers, and the warnings of nodes
     * @param events receives the reports of nodes, on threads of their own
     * @param main runs nodes on threads of this JVM; null to start a process for each
     * @return the cluster, without nodes
     * @throws io.sluice.messaging.api.MessagingException if the driver cannot start
     */
    public static HostCluster launch(
            Path directory,
            int several,
            ClusterSettings settings,
            Driver.Context context,
            PrintStream warnings,
            Consumer<NodeEvent> events,
            NodeMain main) {
        context.expectedBytes(logBytes(settings));
        requireCores(settings, context.threading().threads());
        long mostSilentNs = main == null ? mostSilentNs(settings) : RunningDriver.LIVENESS_OF_THREADS_NS;
        context.clientLivenessNs(Math.max(context.clientLivenessNs(), mostSilentNs));
        Path parent = context.directory().getParent();
        RunningDriver.removeStale(parent, PREFIX);
        context.directory(
                directory == null
                        ? parent.resolve(PREFIX + ProcessHandle.current().pid())
                        : directory);
        Driver driver = Driver.launch(context);
        driver.warnings().forEach(warning -> warnings.println("sluice: " + warning));
        return new HostCluster(
                driver,
                addresses(several),
                new Casualties(settings.onDeath(), warnings),
                new Restarts(settings.awaitsTheDead(), several > 0, warnings),
                settings.onDeath() == DeathPolicy.FAIL,
                warnings,
                events,
                main);
    }

    private static List<String> addresses(int several) {
        return LocalMembers.free(Math.max(1, several)).stream()
                .map(Endpoint::toString)
                .toList();
    }

    /**
     * The media drivers of the jobs that this user runs on this host.
     *
     * @return directories of living drivers, in no order
     * @throws io.sluice.messaging.api.MessagingException if their parent cannot be listed
     */
    public static List<Path> running() {
        Path parent = new Driver.Context().directory().getParent();
        try (Stream<Path> all = Files.list(parent)) {
            return all.filter(each -> each.getFileName().toString().startsWith(PREFIX))
                    .filter(Driver::isActive)
                    .toList();
        } catch (IOException e) {
            throw new MessagingException("the folder " + parent + " cannot be listed: " + e.getMessage(), e);
        }
    }

    /** The media driver must not time out a client that the cluster still waits for, as far as the driver allows. */
    private static long mostSilentNs(ClusterSettings settings) {
        long ns = TimeUnit.MILLISECONDS.toNanos((long) PhiAccrualDetector.CEILING * settings.livenessMs());
        return Math.min(ns, RunningDriver.MAX_CLIENT_LIVENESS_NS);
    }

    /** Checks the cores for all nodes at once, because each node would count only its own threads. */
    private static void requireCores(ClusterSettings settings, int driverThreads) {
        if (!SpinLimit.insisted()) {
            WorkerContext node = new WorkerContext();
            int workerThreads = node.filterLanes() + (settings.queues() ? 1 : 0);
            int threads = settings.servers() + settings.workers() * workerThreads;
            int cores = Runtime.getRuntime().availableProcessors();
            SpinLimit.require("this job", node.newIdleStrategy(), threads, driverThreads, cores);
        }
    }

    /** Size of all logs in bytes: each is three terms, and the log of a stream over UDP exists at both ends. */
    static long logBytes(ClusterSettings settings) {
        Channels channels = new Channels();
        ChannelSettings lengths = channels.context();
        long links = 2L * settings.serverPlaces() * settings.workerPlaces();
        long control = 2L * (settings.serverPlaces() + settings.workerPlaces());
        long udpLog = 2L * 3 * lengths.udpTermLength();
        long data = settings.transport() == TransportKind.UDP ? links * udpLog : links * 3 * lengths.ipcTermLength();
        return data + control * 2L * 3 * channels.controlTermLength();
    }

    /**
     * Starts a node.
     *
     * @param role role of the node
     * @param index index among those of its role
     * @param arguments command of the process; the cluster's address and the driver's directory are added
     * @throws IOException if the process cannot be started
     * @throws ClusterException with {@link Failure#CLOSED} if the cluster is being ended, for instance by Ctrl-C
     */
    public synchronized void start(Role role, int index, List<String> arguments) throws IOException {
        String name = nameOf(role, index);
        if (ended) {
            throw new ClusterException(Failure.CLOSED, "interrupted while starting " + name);
        }
        commands.put(name, arguments);
        events.accept(new NodeEvent.Launched(name));
        (role == Role.SERVER ? servers : workers).add(launch(name, arguments));
    }

    /**
     * Starts a separate coordinator, which is restarted when it dies.
     *
     * @param member member index of the coordinator
     * @param arguments command of the process; the addresses of all and the driver's directory are added
     * @throws IOException if the process cannot be started
     */
    public synchronized void startCoordinator(int member, List<String> arguments) throws IOException {
        String name = "coordinator " + member;
        if (ended) {
            throw new ClusterException(Failure.CLOSED, "interrupted while starting " + name);
        }
        commands.put(name, arguments);
        coordinators.add(launch(name, arguments));
    }

    private Child launch(String name, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(arguments);
        String where = name.startsWith("coordinator") ? "--members" : clusterOption();
        command.addAll(List.of(
                "--attached",
                where,
                String.join(",", addresses),
                "--aeron-dir",
                driver.directory().toString()));
        restarts.starting(name);
        return main == null
                ? ChildProcess.start(name, command, event -> on(name, event))
                : ChildThread.start(name, command, main, event -> on(name, event));
    }

    /** Starts a node again in place of a child that has ended; null if the cluster is being ended. */
    private synchronized Child restart(List<Child> nodes, Child child) throws IOException {
        if (ended) {
            return null;
        }
        Child again = launch(child.name(), commands.get(child.name()));
        nodes.set(nodes.indexOf(child), again);
        return again;
    }

    /** The options with which a node finds this cluster and its media driver. */
    public String whereabouts() {
        return clusterOption() + " " + String.join(",", addresses) + " --aeron-dir " + driver.directory();
    }

    private String clusterOption() {
        return addresses.size() > 1 ? "--coordinators" : "--cluster";
    }

    /** The highest clock that a worker has reported. */
    public long furthest() {
        return restarts.furthest();
    }

    /** Number of servers and workers (not coordinators) that were restarted after their death. */
    public int startedAgain() {
        return restarts.count();
    }

    /** Whether all nodes had joined. */
    public boolean wasComplete() {
        return restarts.wasComplete();
    }

    private static String nameOf(Role role, int index) {
        return role.configName() + " " + index;
    }

    /**
     * Waits until all nodes have ended; a lost worker without which the cluster continued may still run.
     *
     * @throws ChildFailedException if a process that the job needs ended with an error; the others are then ended
     * @throws InterruptedException if this thread is interrupted
     */
    public void await() throws InterruptedException {
        CompletableFuture<Child> failed = new CompletableFuture<>();
        endOf(coordinators, failed); // the job ends with its nodes
        CompletableFuture<Void> served = endOf(servers, failed);
        CompletableFuture<Void> trained = endOf(workers, failed);
        CompletableFuture<Void> over = served.thenCompose(_ -> casualties.mayHang(trained));
        CompletableFuture<Child> blamed =
                failed.thenCompose(first -> Culprit.of(first, workers, children(), failsTogether));
        try {
            CompletableFuture.anyOf(blamed, over).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot wait for nodes", e);
        }
        if (failed.isDone()) {
            throw failureOf(blamed.join());
        }
        if (!workers.isEmpty() && casualties.count() == workers.size()) {
            throw failureOf(casualties.first());
        }
        for (Child child : children()) {
            if (!child.isAlive()) {
                child.awaitOutput();
            }
        }
        casualties.tell(workers);
    }

    private CompletableFuture<Void> endOf(List<Child> nodes, CompletableFuture<Child> failed) {
        return CompletableFuture.allOf(
                nodes.stream().map(child -> endOf(nodes, child, failed)).toArray(CompletableFuture[]::new));
    }

    /** Completes with the end of the last process of this node. */
    private CompletableFuture<Void> endOf(List<Child> nodes, Child child, CompletableFuture<Child> failed) {
        return child.onExit().thenComposeAsync(_ -> {
            Child again = judge(nodes, child, failed);
            return again == null ? CompletableFuture.completedFuture(null) : endOf(nodes, again, failed);
        });
    }

    /**
     * Handles the end of a child; returns the child that replaces it, or null. The last report of a worker may be that
     * it has joined.
     */
    private Child judge(List<Child> nodes, Child child, CompletableFuture<Child> failed) {
        try {
            if (child.exitValue() == 0) {
                return null;
            }
            child.awaitOutput();
            if (restarts.hasDone(child.name())) {
                return null;
            }
            if (child.wasAskedToEnd() && ending.await(ENDING_MS, TimeUnit.MILLISECONDS)) {
                return null; // the same signal has ended this process
            }
            if (child.exitValue() == CLUSTER_FAILED && isClusterEnding(child)) {
                if (!coordinators.isEmpty()) {
                    failed.complete(child);
                }
                return null; // the whole cluster has failed, and server 0 reports the reason if it coordinated
            }
            if (restarts.restarts(child.name(), child.exitValue(), child.ending())) {
                return restart(nodes, child);
            }
            if (!casualties.spares(child)) {
                failed.complete(child);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failed.complete(child);
        } catch (IOException e) {
            warnings.println("sluice: " + child.name() + " cannot be started again: " + e.getMessage());
            failed.complete(child);
        }
        return null;
    }

    /**
     * Whether another node also ends within a moment, above all server 0, whose reason counts if it coordinates.
     */
    private boolean isClusterEnding(Child child) throws InterruptedException {
        boolean first = child == servers.getFirst() && !coordinators.isEmpty();
        Child other = first ? workers.getFirst() : servers.getFirst();
        try {
            return restarts.mayRestart() && other.onExit().get(ENDING_MS, TimeUnit.MILLISECONDS) != null;
        } catch (TimeoutException | ExecutionException _) {
            return false;
        }
    }

    private List<Child> children() {
        return Stream.of(servers, workers, coordinators).flatMap(List::stream).toList();
    }

    private ChildFailedException failureOf(Child child) throws InterruptedException {
        child.awaitOutput();
        return new ChildFailedException(
                casualties.fatal(child),
                child.isKilled() ? CLUSTER_FAILED : child.exitValue(),
                restarts.kind(child.name(), child.exitValue()));
    }

    private void on(String name, NodeEvent event) {
        switch (event) {
            case NodeEvent.Refused _ -> restarts.refused(name); // standard error also has the reason
            case NodeEvent.Note note -> warnings.println("sluice: " + note.node() + ": " + note.text());
            default -> {
                restarts.on(event);
                casualties.on(event);
                events.accept(event);
            }
        }
    }

    private synchronized void end() {
        if (!ended) {
            ended = true;
            ending.countDown();
            casualties.end();
            restarts.end();
            children().forEach(Child::askToEnd);
            children().forEach(Child::awaitEnd);
            children().stream()
                    .filter(Child::isAlive)
                    .forEach(child -> warnings.println("sluice: " + child.name() + " has not ended "
                            + Child.PATIENCE_SECONDS + " s after its interrupt; it ends with this process"));
            driver.close();
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            return; // the JVM is shutting down: the hook has run or has nothing to do
        }
    }
}
