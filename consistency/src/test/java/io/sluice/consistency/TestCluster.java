package io.sluice.consistency;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerPlans;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.agrona.concurrent.IdleStrategy;

/**
 * A whole cluster in one JVM: each server and each worker is a thread with a {@code Transport} of its own. It keeps the
 * result of each node by name ("server 0", "worker 2"), and the time at which the node ended.
 */
public final class TestCluster implements AutoCloseable {
    /** The sentence of a node that has waited for longer than usual, for whatever reason. */
    private static final Pattern WAIT = Pattern.compile(".+ has waited for \\d+ s for .+");

    private final TestDriver driver;
    private final ClusterSettings settings;
    private String address = TestDriver.freeEndpoint();
    private boolean coordinatedByOthers;
    private final Map<String, Thread> threads = new LinkedHashMap<>();
    private final Map<String, Throwable> failures = new ConcurrentHashMap<>();
    private final Map<String, Long> endedNs = new ConcurrentHashMap<>();
    private final Map<Integer, Server> servers = new ConcurrentHashMap<>();
    private final Map<String, Server> added = new ConcurrentHashMap<>();
    private final Map<Integer, ServerReport> reports = new ConcurrentHashMap<>();
    private final List<ServerReport> reportsOfAdded = new CopyOnWriteArrayList<>();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<String> waits = new CopyOnWriteArrayList<>();
    private final Queue<String> deaths = new ConcurrentLinkedQueue<>();
    private Consumer<NodeContext<?>> adjustment = context -> {};
    private int incarnations = 1;

    /** The work of a worker between its join and its leave. A worker whose trainer throws fails. */
    public interface Trainer {
        void train(Worker worker) throws Exception;
    }

    private TestCluster(TestDriver driver, ClusterSettings settings) {
        this.driver = driver;
        this.settings = settings;
    }

    /** Terms with two servers, three workers, small slices, exact sums, and patience for a busy machine. */
    public static ClusterSettingsBuilder terms() {
        return ClusterSettings.builder()
                .servers(2)
                .workers(3)
                .filter("none")
                .tree("flat")
                .sliceElements(64)
                .heartbeatMs(200)
                .livenessMs(5_000);
    }

    /** These terms for a protocol, with the budget that it needs. */
    public static ClusterSettingsBuilder terms(Protocol protocol) {
        ClusterSettingsBuilder terms = terms().protocol(protocol);
        return Protocol.MANAGED == protocol ? terms.linkBudget("1gbit", 1 << 20) : terms;
    }

    /** Starts a cluster with all servers except the {@code absent} ones of the highest indices. */
    public static TestCluster start(TestDriver driver, ClusterSettings settings, int absent) {
        TestCluster cluster = new TestCluster(driver, settings);
        for (int server = 0; server < settings.servers() - absent; server++) {
            cluster.serve(server);
        }
        return cluster;
    }

    public static TestCluster start(TestDriver driver, ClusterSettings settings) {
        return start(driver, settings, 0);
    }

    /** Runs a cluster from its start to its end; fails if any node does. Returns the servers' reports. */
    public static List<ServerReport> run(TestDriver driver, ClusterSettings settings, Trainer trainer) {
        try (TestCluster cluster = start(driver, settings)) {
            cluster.train(trainer);
            cluster.awaitSuccess();
            return cluster.reports();
        }
    }

    /** Creates a cluster without nodes, whose servers can be adjusted. */
    public static TestCluster of(TestDriver driver, ClusterSettings settings) {
        return new TestCluster(driver, settings);
    }

    /** Changes the context of each node that starts from now on, after earlier changes. */
    public TestCluster adjust(Consumer<NodeContext<?>> change) {
        adjustment = adjustment.andThen(change);
        return this;
    }

    /** Changes the context of each server that starts from now on. */
    public TestCluster adjustServers(Consumer<ServerContext> change) {
        return adjust(context -> {
            if (context instanceof ServerContext server) {
                change.accept(server);
            }
        });
    }

    /** Changes the context of each worker that starts from now on. */
    public TestCluster adjustWorkers(Consumer<WorkerContext> change) {
        return adjust(context -> {
            if (context instanceof WorkerContext worker) {
                change.accept(worker);
            }
        });
    }

    /** Names coordinators at these addresses, which replace server 0. */
    public TestCluster coordinatedAt(String addresses) {
        address = addresses;
        coordinatedByOthers = true;
        return this;
    }

    /** Restarts each node that fails, up to a number of incarnations. */
    public TestCluster incarnations(int most) {
        incarnations = most;
        return this;
    }

    /** Nodes that have failed and were started again, in that order. */
    public List<String> deaths() {
        return List.copyOf(deaths);
    }

    public String address() {
        return address;
    }

    public ClusterSettings settings() {
        return settings;
    }

    public TestDriver driver() {
        return driver;
    }

    /** Starts a worker for each index. */
    public void train(Trainer trainer) {
        for (int worker = 0; worker < settings.workers(); worker++) {
            train(worker, trainer);
        }
    }

    public void train(int index, Trainer trainer) {
        train("worker " + index, index, trainer);
    }

    /** Starts a worker under any name. */
    public void train(String name, int index, Trainer trainer) {
        launch(name, () -> {
            WorkerContext context = context(new WorkerContext().index(index));
            try (Worker worker = Worker.connect(context)) {
                trainer.train(worker);
                worker.leave(); // a trainer that returns has completed, drained or not
            }
        });
    }

    /** Starts all servers. */
    public TestCluster serve() {
        for (int server = 0; server < settings.servers(); server++) {
            serve(server);
        }
        return this;
    }

    public void serve(int index) {
        launch("server " + index, () -> {
            ServerContext context = context(new ServerContext().index(index));
            if (0 == index && !coordinatedByOthers) {
                context.coordinate(settings);
            }
            try (Server server = Server.launch(context)) {
                servers.put(index, server);
                serve(server, context);
                reports.put(index, server.report());
            }
        });
    }

    /** Starts one more server, under any name, in any free place. */
    public void add(String name) {
        launch(name, () -> {
            ServerContext context = context(new ServerContext());
            try (Server server = Server.launch(context)) {
                added.put(name, server);
                servers.put(server.index(), server);
                serve(server, context);
                reportsOfAdded.add(server.report());
            }
        });
    }

    /** A server that was added under a name, and has been welcomed. */
    public Server added(String name) {
        Deadline.await(name + " is welcomed", () -> added.containsKey(name) || failures.containsKey(name));
        assertNotNull(added.get(name), () -> name + " failed; all failures: " + failures);
        return added.get(name);
    }

    /** Makes the cluster of a coordinating server take snapshots, and begin as stated. */
    public static void takeSnapshots(ServerContext server, String interval, Restoration restoration) {
        if (restoration.isExact()) {
            server.takeSnapshots(interval, restoration.clock());
        } else {
            server.takeSnapshots(interval, restoration.wanted());
        }
    }

    /**
     * Serves in the caller's thread, like a program with an invoked server or with {@code run()}.
     */
    private static void serve(Server server, ServerContext context) {
        if (ThreadingMode.INVOKER != context.threading()) {
            server.run();
            return;
        }
        IdleStrategy idle = context.newIdleStrategy();
        while (!server.isOver()) {
            idle.idle(server.doWork());
            if (Thread.currentThread().isInterrupted()) {
                throw new ClusterException(Failure.CLOSED, "the program was interrupted");
            }
        }
    }

    /** A context for a node of this cluster. */
    public <C extends NodeContext<C>> C context(C context) {
        context.cluster(address)
                .aeronDirectory(driver.directory())
                .channels(driver.lengths())
                .errorHandler(this::onReport);
        adjustment.accept(context);
        return context;
    }

    private void onReport(Throwable report) {
        String sentence = String.valueOf(report.getMessage());
        if (WAIT.matcher(sentence).matches()) {
            waits.add(sentence);
        } else {
            errors.add(report);
        }
    }

    private void launch(String name, ThrowingRunnable node) {
        Thread thread = Thread.ofPlatform().name("test " + name).daemon().unstarted(() -> {
            try {
                live(name, node);
            } catch (Throwable e) {
                failures.put(name, e);
            } finally {
                endedNs.put(name, System.nanoTime());
            }
        });
        threads.put(name, thread);
        thread.start();
    }

    private void live(String name, ThrowingRunnable node) throws Exception {
        for (int incarnation = 1; incarnation < incarnations; incarnation++) {
            try {
                node.run();
                return;
            } catch (Exception e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                deaths.add(name + ": " + e.getMessage());
            }
        }
        node.run();
    }

    private interface ThrowingRunnable {
        void run() throws Exception;
    }

    /** The thread of a node. */
    public Thread thread(String node) {
        return threads.get(node);
    }

    /** A welcomed server. Inspect it only on its own thread, or while that is idle. */
    public Server server(int index) {
        Deadline.await("server " + index + " is welcomed", () -> servers.containsKey(index));
        return servers.get(index);
    }

    /** By place, the server that joined there last, if one has been welcomed. */
    public Collection<Server> servers() {
        return servers.values();
    }

    public ClusterPlan plan() {
        return ServerPlans.of(server(0));
    }

    /** Waits until a node has ended, and returns its failure; null if it succeeded. */
    public Throwable awaitEnd(String node) {
        Deadline.await(node + " ends", () -> endedNs.containsKey(node));
        return failures.get(node);
    }

    /** Waits until a node has failed with a typed failure, and returns that. */
    public ClusterException awaitFailure(String node) {
        Throwable failure = awaitEnd(node);
        assertNotNull(failure, node + " ended as if nothing had happened");
        return assertInstanceOf(ClusterException.class, failure, () -> node + " failed with " + failure);
    }

    /** Waits until some node has failed with a typed failure, and returns that. */
    public ClusterException awaitAnyFailure() {
        Deadline.await("some node fails", () -> !failures.isEmpty());
        return awaitFailure(failures.keySet().iterator().next());
    }

    /** The time at which a node ended, in {@link System#nanoTime()}. */
    public long endedNs(String node) {
        awaitEnd(node);
        return endedNs.get(node);
    }

    /** Waits until all nodes have ended; fails with the first failure if there is one. */
    public void awaitSuccess() {
        long startNs = System.nanoTime();
        // A failure matters at once: the others may be waiting for the node that failed.
        Deadline.await(
                "the cluster ends",
                () -> !failures.isEmpty() || endedNs.size() == threads.size(),
                () -> requireWithin(startNs));
        if (!failures.isEmpty()) {
            AssertionError failed = new AssertionError("nodes failed: " + failures + history());
            failures.values().forEach(failed::addSuppressed);
            throw failed;
        }
    }

    private void requireWithin(long startNs) {
        if (System.nanoTime() - startNs > TimeUnit.MILLISECONDS.toNanos(Deadline.PATIENCE_MS - 100)) {
            StringBuilder where = new StringBuilder("the cluster does not end" + history() + ":");
            threads.forEach((name, thread) ->
                    where.append("\n").append(name).append(" at ").append(stack(thread)));
            throw new AssertionError(where.toString());
        }
    }

    private String history() {
        return ", after deaths " + deaths + " and waits " + waits;
    }

    private static String stack(Thread thread) {
        return List.of(thread.getStackTrace()).toString();
    }

    /** The reports of the servers, by index, and then of the added servers; after they have ended. */
    public List<ServerReport> reports() {
        return Stream.concat(reports.keySet().stream().sorted().map(reports::get), reportsOfAdded.stream())
                .toList();
    }

    /** The failures of nodes so far. */
    public Map<String, Throwable> failures() {
        return failures;
    }

    /** Reports of nodes, and errors on threads other than their own; without {@link #waits}. */
    public List<Throwable> errors() {
        return errors;
    }

    /** Reports that a node waits for longer than usual; on a busy machine a node may only be slow. */
    public List<String> waits() {
        return waits;
    }

    /** Interrupts all that still run and waits for them to end. */
    @Override
    public void close() {
        threads.values().forEach(Thread::interrupt);
        Deadline.await("all threads end", () -> threads.values().stream().noneMatch(Thread::isAlive));
    }
}
