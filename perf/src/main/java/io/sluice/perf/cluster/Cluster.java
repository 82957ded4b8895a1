package io.sluice.perf.cluster;

import io.sluice.consistency.membership.LocalMembers;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.ClusterSettingsBuilder;
import io.sluice.consistency.terms.TransportKind;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.Channels;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.Patience;
import io.sluice.messaging.Transport;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.lab.LabSchedule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BackoffIdleStrategy;

/**
 * Hosts with media drivers, on which one cluster runs after another: those of a lab, one for each node, or this machine
 * for all nodes. Drivers and nodes are threads of this process that have entered their host: each has its own sockets,
 * logs and links. The JVM compiles the code once for all of them, one clock times them, and their processor time is
 * that of one process.
 */
public final class Cluster implements AutoCloseable {
    private static final int FIRST_PORT = Host.FREE_PORTS;
    private static final int PORTS = 10_000;

    /** Default of the maximum number of frames that may wait for each link of a worker. */
    private static final int OUTBOX_FRAMES = 32;

    /**
     * Number of hosts per core above which idle threads sleep longer: otherwise their wake-ups would occupy the core.
     */
    private static final int HOSTS_PER_CORE = 4;

    private static final long MANY_HOSTS_PARK_NS = 1_000_000;

    /** Share of their rate below which links count as without data, over {@link #QUIET_NS}. */
    private static final double QUIET_SHARE = 0.05;

    /** Number of bytes of heartbeats and acknowledgements in {@link #QUIET_NS}, at any rate. */
    private static final long QUIET_BYTES = 8 << 10;

    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(3);
    private static final double NS_PER_S = 1e9;

    /** Liveness time: long, because links are full and all nodes share few cores. */
    private static final int LIVENESS_MS = 20_000;

    private static final AtomicInteger LAUNCHED = new AtomicInteger();
    private static final long LOG_RESERVE = 64L << 20;
    private static final long TERMS = 3;

    private final Lab lab;
    private final List<Host> servers;
    private final List<Host> workers;
    private final ChannelSettings channels;
    private final List<Driver> drivers = new ArrayList<>();
    private final List<DriverView> views = new ArrayList<>();
    private Star star;
    private LabSchedule schedule;
    private int turns;

    private Cluster(Lab lab, List<Host> servers, List<Host> workers, ChannelSettings channels) {
        this.lab = lab;
        this.servers = servers;
        this.workers = workers;
        this.channels = channels;
    }

    /** Terms with BSP and f32, neither filtered nor compressed. */
    public static ClusterSettingsBuilder terms(int servers, int workers) {
        return ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .consistency("bsp")
                .values("f32")
                .filter("none")
                .compressor("none")
                .livenessMs(LIVENESS_MS);
    }

    /**
     * Launches a driver on this machine, in a folder of its own.
     *
     * @param links number of links between nodes, which need memory
     */
    public static Cluster onThisHost(int links, TransportKind transport) {
        Driver.Context context = new Driver.Context();
        ChannelSettings channels = new Channels().context();
        long log = TransportKind.UDP == transport
                ? 2 * TERMS * channels.udpTermLength()
                : TERMS * channels.ipcTermLength();
        Path own = context.directory()
                .resolveSibling("sluice-one-host-" + ProcessHandle.current().pid() + "-" + LAUNCHED.getAndIncrement());
        Cluster cluster = new Cluster(null, List.of(), List.of(), channels);
        cluster.add(Driver.launch(
                context.directory(own).expectedBytes(links * log + LOG_RESERVE).closeOnShutdown(true)));
        return cluster;
    }

    /**
     * Builds the lab of a star and launches the drivers.
     *
     * @throws UnavailableException if this machine cannot build a lab
     */
    public static Cluster build(Star star) throws IOException, InterruptedException {
        List<Integer> hosts = IntStream.range(0, star.hosts()).boxed().toList();
        Cluster cluster = build(
                star.network(),
                hosts.subList(0, star.servers()),
                hosts.subList(star.servers(), star.hosts()),
                star.channels(),
                context -> context.udpBatch(star.udpBatch()).egressRate(star.egressRate()));
        cluster.star = star;
        return cluster;
    }

    /** Builds the lab of a plan and launches the drivers, with servers and workers on the given hosts. */
    public static Cluster build(
            LabPlan network,
            List<Integer> servers,
            List<Integer> workers,
            ChannelSettings channels,
            Consumer<Driver.Context> driver)
            throws IOException, InterruptedException {
        Lab lab = Lab.build(network);
        Cluster cluster = new Cluster(
                lab,
                servers.stream().map(lab::host).toList(),
                workers.stream().map(lab::host).toList(),
                channels);
        try {
            for (Host host : cluster.hosts()) {
                Driver.Context context =
                        new Driver.Context().directory(directory(host)).channels(channels);
                driver.accept(context);
                if (cluster.isCrowded()) {
                    context.idleParkNs(MANY_HOSTS_PARK_NS);
                }
                cluster.add(host.call(() -> Driver.launch(context)));
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void add(Driver driver) {
        drivers.add(driver);
        views.add(DriverView.open(driver.directory()));
    }

    private List<Host> hosts() {
        return Stream.concat(servers.stream(), workers.stream()).toList();
    }

    private boolean isCrowded() {
        return hosts().size() > HOSTS_PER_CORE * Runtime.getRuntime().availableProcessors();
    }

    private static Path directory(Host host) {
        return host.folder().resolve("aeron");
    }

    /** The star from which the lab was built. */
    public Star star() {
        return star;
    }

    /** How the drivers batch datagrams. */
    public UdpBatch udpBatch() {
        return drivers.getLast().udpBatch();
    }

    /** The lab with its hosts and links. */
    public Lab lab() {
        return lab;
    }

    /** The directory of the first driver, which all nodes on this machine use. */
    public Path directory() {
        return drivers.getFirst().directory();
    }

    /** The host of a server, by its index. */
    public Host serverHost(int server) {
        return servers.get(server);
    }

    /** The host of a worker, by its index. */
    public Host workerHost(int worker) {
        return workers.get(worker);
    }

    /** Connects to the driver of a host, as its nodes do; the caller closes it. */
    public Transport connect(Host host) {
        return Transport.connect(
                new Transport.Context().directory(directory(host)).channels(new Channels(channels)));
    }

    /** An address on loopback that no cluster uses. */
    private static String freeAddress() {
        return LocalMembers.free(1).getFirst().toString();
    }

    /** The traffic of links and drivers so far. */
    public Usage usage() {
        return Usage.of(lab == null ? List.of() : lab.traffic(), lab == null ? List.of() : views);
    }

    /** Number of bytes that the drivers have sent over UDP so far, with Aeron headers and retransmissions. */
    public long bytesSent() {
        return Usage.of(List.of(), views).sent();
    }

    /** Runs a cluster in trials, without changes to the contexts. */
    public <T> Outcome<T> run(ClusterSettings terms, int trials, WorkerTask<T> task)
            throws IOException, InterruptedException {
        return run(terms, trials, _ -> {}, _ -> {}, task);
    }

    /**
     * Runs one cluster from its start to its end.
     *
     * @param trials number of trials in the task: in each, all workers wait for each other four times, see {@link Cost}
     * @throws UnavailableException if a node fails
     */
    public <T> Outcome<T> run(
            ClusterSettings terms,
            int trials,
            Consumer<ServerContext> serverContexts,
            Consumer<WorkerContext> workerContexts,
            WorkerTask<T> task)
            throws IOException, InterruptedException {
        List<Cost> costs = new ArrayList<>();
        Outcome<T> outcome = runWithCallerTask(terms, "", serverContexts, workerContexts, task, (tasks, _) -> {
            costs.addAll(Cost.ofTrials(trials, this::usage, tasks.rendezvous(), this::prepare));
        });
        return new Outcome<>(outcome.seen(), costs, outcome.servers());
    }

    /** A task that the calling thread runs while the nodes run. */
    @FunctionalInterface
    public interface CallerTask {
        /** Begins when all nodes of the cluster at the address have been started. */
        void run(HostTasks tasks, String address) throws IOException, InterruptedException;
    }

    /**
     * Runs one cluster, and a task in the calling thread while the nodes run.
     *
     * @param elsewhere name of a node, such as {@code worker 0}, that does not run as a thread of this process; or
     *     empty
     */
    public <T> Outcome<T> runWithCallerTask(
            ClusterSettings terms,
            String elsewhere,
            Consumer<ServerContext> serverContexts,
            Consumer<WorkerContext> workerContexts,
            WorkerTask<T> task,
            CallerTask callerTask)
            throws IOException, InterruptedException {
        String address =
                lab == null ? freeAddress() : servers.getFirst().address() + ":" + (FIRST_PORT + turns++ % PORTS);
        try (HostTasks tasks = new HostTasks(terms.workers())) {
            List<FutureTask<ServerReport>> served = new ArrayList<>();
            for (int i = 0; i < terms.servers(); i++) {
                Host host = lab == null ? null : servers.get(i);
                ServerContext context =
                        on(host, new ServerContext()).cluster(address).index(i).coordinate(i == 0 ? terms : null);
                serverContexts.accept(context);
                if (!elsewhere.equals("server " + i)) {
                    served.add(tasks.start(host, "server " + i, () -> serve(context)));
                }
            }
            List<FutureTask<T>> trained = new ArrayList<>();
            for (int i = 0; i < terms.workers(); i++) {
                Host host = lab == null ? null : workers.get(i);
                WorkerContext context =
                        on(host, new WorkerContext()).cluster(address).index(i);
                workerContexts.accept(context);
                if (!elsewhere.equals("worker " + i)) {
                    trained.add(tasks.start(host, "worker " + i, () -> train(context, task, tasks.rendezvous())));
                }
            }
            callerTask.run(tasks, address);
            List<T> seen = tasks.results(trained);
            return new Outcome<>(seen, List.of(), tasks.results(served));
        }
    }

    private WorkerContext on(Host host, WorkerContext worker) {
        on(host, (NodeContext<WorkerContext>) worker);
        return host == null ? worker : worker.outboxFrames(OUTBOX_FRAMES);
    }

    private <C extends NodeContext<C>> C on(Host host, NodeContext<C> node) {
        if (host == null) {
            return node.aeronDirectory(directory());
        }
        C own = node.withoutSecret(true).aeronDirectory(directory(host)).channels(channels);
        return isCrowded() ? own.idle(() -> new BackoffIdleStrategy(10, 20, 1_000, MANY_HOSTS_PARK_NS)) : own;
    }

    /** Waits until the links carry no data, and starts the time of events before the first trial. */
    private void prepare(int trial) {
        if (star == null) {
            return;
        }
        Usage before = usage();
        Usage carried;
        Patience patience = new Patience("the lab", LONGEST_NS, System.err::println, System.nanoTime());
        do {
            LockSupport.parkNanos(QUIET_NS);
            Usage now = usage();
            carried = now.since(before);
            before = now;
            long nowNs = System.nanoTime();
            if (patience.isOver(nowNs)) {
                throw new UnavailableException("the links still carry data minutes after the nodes became ready");
            }
            if (patience.isTime(nowNs)) {
                patience.report("links that carry no data", nowNs);
            }
        } while (carried.mostUp() > Math.max(QUIET_BYTES, star.rate() / Byte.SIZE * QUIET_SHARE * QUIET_NS / NS_PER_S));
        if (trial == 0 && !star.events().isEmpty()) {
            schedule = new LabSchedule(lab, line -> System.err.println("lab | " + line));
            star.events().forEach(schedule::add);
        }
    }

    /** Whether this lab can serve another turn of a star; a lab whose links change serves one turn. */
    public boolean serves(Star other) {
        return star.equals(other) && schedule == null;
    }

    private static ServerReport serve(ServerContext context) {
        try (Server server = Server.launch(context)) {
            server.run();
            return server.report();
        }
    }

    private static <T> T train(WorkerContext context, WorkerTask<T> task, Rendezvous rendezvous)
            throws InterruptedException {
        try (Worker worker = Worker.connect(context)) {
            T seen = task.train(worker, rendezvous);
            worker.leave(); // needed because some tasks return without calling drain()
            return seen;
        }
    }

    /** Stops the drivers and removes the lab. */
    @Override
    public void close() {
        CloseHelper.quietClose(schedule);
        CloseHelper.quietCloseAll(views);
        CloseHelper.quietCloseAll(drivers.reversed());
        CloseHelper.quietClose(lab);
    }

    /** The measurements of a cluster. */
    public record Outcome<T>(List<T> seen, List<Cost> costs, List<ServerReport> servers) {
        /** The sum of a count over all workers. */
        public long sum(ToLongFunction<T> of) {
            return seen.stream().mapToLong(of).sum();
        }

        /** The largest of a figure over all workers. */
        public double max(ToDoubleFunction<T> of) {
            return seen.stream().mapToDouble(of).max().orElseThrow();
        }

        /** The sum of a count over all servers. */
        public long served(ToLongFunction<ServerReport> of) {
            return servers.stream().mapToLong(of).sum();
        }
    }
}
