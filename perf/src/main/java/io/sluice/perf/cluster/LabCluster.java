package io.sluice.perf.cluster;

import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.server.Server;
import io.sluice.consistency.server.ServerContext;
import io.sluice.consistency.server.ServerReport;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.worker.Worker;
import io.sluice.consistency.worker.WorkerContext;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.Channels;
import io.sluice.messaging.DriverView;
import io.sluice.messaging.Patience;
import io.sluice.messaging.Transport;
import io.sluice.messaging.driver.Driver;
import io.sluice.messaging.driver.Driver.UdpBatch;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.Lab;
import io.sluice.perf.lab.LabSchedule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * A lab with a media driver on each host, which runs one cluster after another. Drivers and nodes are threads of this
 * process that have entered their host: each has its own sockets, logs and links. The JVM compiles the code once for
 * all of them, one clock times them, and their processor time is that of one process.
 */
public final class LabCluster implements AutoCloseable {
    private static final int FIRST_PORT = Host.FREE_PORTS;
    private static final int PORTS = 10_000;

    /**
     * With more hosts per core than this, idle threads sleep longer: otherwise their wake-ups would occupy the core.
     */
    private static final int HOSTS_PER_CORE = 4;

    /** Without data, links carry less than this share of their rate in this time. */
    private static final double QUIET_SHARE = 0.05;

    /** Bytes of heartbeats and acknowledgements in that time, whatever the rate. */
    private static final long QUIET_BYTES = 8 << 10;

    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(3);
    private static final double NS_PER_S = 1e9;

    private static final int SPINS = 10;
    private static final int YIELDS = 20;
    private static final long LEAST_PARK_NS = 1_000;
    private static final long MANY_HOSTS_PARK_NS = 1_000_000;

    private final Star star;
    private final Lab lab;
    private final Deque<AutoCloseable> drivers = new ArrayDeque<>();
    private final List<DriverView> views = new ArrayList<>();
    private UdpBatch udpBatch;
    private LabSchedule schedule;
    private int turns;

    private LabCluster(Star star, Lab lab) {
        this.star = star;
        this.lab = lab;
    }

    /**
     * Builds the lab and launches the drivers.
     *
     * @param star hosts and their links
     * @throws UnavailableException if this machine cannot build a lab
     * @throws IOException if a host cannot be entered
     * @throws InterruptedException if interrupted
     */
    public static LabCluster build(Star star) throws IOException, InterruptedException {
        LabCluster cluster = new LabCluster(star, Lab.build(star.network()));
        try {
            for (Host host : cluster.lab.hosts()) {
                Driver.Context context = new Driver.Context()
                        .directory(directory(host))
                        .channels(star.channels())
                        .udpBatch(star.udpBatch())
                        .egressRate(star.egressRate());
                if (isCrowded(star)) {
                    context.idleParkNs(MANY_HOSTS_PARK_NS);
                }
                Driver driver = host.call(() -> Driver.launch(context));
                cluster.udpBatch = driver.udpBatch();
                cluster.drivers.push(driver);
                cluster.views.add(DriverView.open(driver.directory()));
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
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
        return udpBatch;
    }

    /** The lab with its hosts and links. */
    public Lab lab() {
        return lab;
    }

    /** The host of a server, by its index. */
    public Host serverHost(int server) {
        return lab.host(server);
    }

    /** The host of a worker, by its index. */
    public Host workerHost(int worker) {
        return lab.host(star.servers() + worker);
    }

    /**
     * Connects to the driver of a host, as its nodes do; the caller closes it.
     *
     * @param host a host of the lab
     */
    public Transport connect(Host host) {
        return Transport.connect(
                new Transport.Context().directory(directory(host)).channels(new Channels(star.channels())));
    }

    /** Runs a cluster with room for 32 frames on each link of a worker. */
    public <T> Outcome<T> run(ClusterSettings terms, int trials, WorkerTask<T> task)
            throws IOException, InterruptedException {
        return run(terms, LabParameters.OUTBOX_FRAMES, trials, task);
    }

    /**
     * Runs one cluster from its start to its end.
     *
     * @param terms        terms of the cluster
     * @param outboxFrames number of frames that may wait for each link of a worker
     * @param trials       number of trials in the task, which {@link Cost#ofTrials} coordinates
     * @param task         what each worker runs
     * @return the results of the workers, by index, and the cost of each trial
     * @throws UnavailableException if a node fails
     * @throws IOException if the lab is closed
     * @throws InterruptedException if interrupted
     */
    public <T> Outcome<T> run(ClusterSettings terms, int outboxFrames, int trials, WorkerTask<T> task)
            throws IOException, InterruptedException {
        String address = lab.host(0).address() + ":" + (FIRST_PORT + turns++ % PORTS);
        try (HostTasks tasks = new HostTasks(star.workers())) {
            List<FutureTask<ServerReport>> served = new ArrayList<>();
            for (int i = 0; i < star.servers(); i++) {
                ServerContext context = on(serverHost(i), new ServerContext())
                        .cluster(address)
                        .index(i)
                        .coordinate(i == 0 ? terms : null);
                served.add(tasks.start(serverHost(i), "server " + i, () -> serve(context)));
            }
            List<FutureTask<T>> trained = new ArrayList<>();
            for (int i = 0; i < star.workers(); i++) {
                WorkerContext context = on(workerHost(i), new WorkerContext())
                        .cluster(address)
                        .index(i)
                        .outboxFrames(outboxFrames);
                trained.add(tasks.start(workerHost(i), "worker " + i, () -> train(context, task, tasks.rendezvous())));
            }
            List<Cost> costs =
                    Cost.ofTrials(trials, lab::traffic, () -> DatagramUse.of(views), tasks.rendezvous(), this::prepare);
            List<T> seen = tasks.results(trained);
            return new Outcome<>(seen, costs, tasks.results(served));
        }
    }

    /** Waits until the links carry no data any more, and starts the time of events before the first trial. */
    private void prepare(int trial) {
        LinkUse before = LinkUse.of(lab.traffic());
        LinkUse carried;
        Patience patience = new Patience("the lab", LONGEST_NS, System.err::println, System.nanoTime());
        do {
            LockSupport.parkNanos(QUIET_NS);
            LinkUse now = LinkUse.of(lab.traffic());
            carried = now.since(before);
            before = now;
            long nowNs = System.nanoTime();
            if (patience.isOver(nowNs)) {
                throw new UnavailableException("links carry data minutes after the nodes were ready");
            }
            if (patience.isTime(nowNs)) {
                patience.report("links that carry no data", nowNs);
            }
        } while (carried.most() > Math.max(QUIET_BYTES, star.rate() / Byte.SIZE * QUIET_SHARE * QUIET_NS / NS_PER_S));
        if (trial == 0 && !star.links().events().isEmpty()) {
            schedule = new LabSchedule(lab, line -> System.err.println("lab | " + line));
            star.links().events().forEach(schedule::add);
        }
    }

    /** Whether this lab can serve another turn of a star; a lab whose links change serves one turn. */
    public boolean serves(Star other) {
        return star.equals(other) && schedule == null;
    }

    private <C extends NodeContext<C>> C on(Host host, C node) {
        node.withoutSecret(true).aeronDirectory(directory(host)).channels(star.channels());
        return isCrowded(star) ? node.idle(LabCluster::longSleep) : node;
    }

    private static boolean isCrowded(Star star) {
        return star.hosts() > HOSTS_PER_CORE * Runtime.getRuntime().availableProcessors();
    }

    private static IdleStrategy longSleep() {
        return new BackoffIdleStrategy(SPINS, YIELDS, LEAST_PARK_NS, MANY_HOSTS_PARK_NS);
    }

    static ServerReport serve(ServerContext context) {
        try (Server server = Server.launch(context)) {
            server.run();
            return server.report();
        }
    }

    static <T> T train(WorkerContext context, WorkerTask<T> task, Rendezvous rendezvous) throws InterruptedException {
        try (Worker worker = Worker.connect(context)) {
            T seen = task.train(worker, rendezvous);
            worker.leave(); // some tasks do not drain
            return seen;
        }
    }

    /** Stops the drivers and removes the lab. */
    @Override
    public void close() {
        CloseHelper.quietClose(schedule);
        CloseHelper.quietCloseAll(views);
        CloseHelper.quietCloseAll(drivers);
        lab.close();
    }

    /**
     * The measurements of a cluster.
     *
     * @param seen    result of each worker
     * @param costs   cost of each trial
     * @param servers reports of the servers
     * @param <T>     type of the workers' results
     */
    public record Outcome<T>(List<T> seen, List<Cost> costs, List<ServerReport> servers) {}
}
