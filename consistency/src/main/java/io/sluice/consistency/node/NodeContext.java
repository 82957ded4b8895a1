package io.sluice.consistency.node;

import io.sluice.consistency.feedback.ConfiguredFeedback;
import io.sluice.consistency.membership.DeclaredTerms;
import io.sluice.consistency.snapshot.SnapshotRetention;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.Settings;
import io.sluice.messaging.SpinLimit;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Settings that servers and workers share: how a node joins a cluster, where its snapshots are, and how it uses links,
 * threads and memory. Defaults come from system properties, setters override them, and {@link #conclude()} checks them
 * once.
 *
 * @param <C> the concrete context, which setters return
 */
public abstract class NodeContext<C extends NodeContext<C>> extends SecretContext<C> {
    /** Property for {@link #cluster(String)}. */
    public static final String CLUSTER_PROPERTY = "sluice.cluster";

    /** Address of the coordinator if the property names none. */
    public static final String DEFAULT_CLUSTER = "localhost:40100";

    /** Property for {@link #coordinatorWaitNs(long)}. */
    public static final String COORDINATOR_WAIT_PROPERTY = "sluice.coordinator.wait";

    /** Property for {@link #idle(Supplier)}: {@code backoff} (the default), {@code yield} or {@code spin}. */
    public static final String IDLE_PROPERTY = "sluice.idle";

    /** Property for {@link #retainBytes(int)}. */
    public static final String RETAIN_PROPERTY = "sluice.retain.length";

    private static final int ELECTION_FACTOR = 3;
    private static final int DEFAULT_RETAIN_BYTES = 1 << 30;
    private static final int MIN_RETAIN_BYTES = 1 << 20;

    private List<Endpoint> cluster = endpoints(System.getProperty(CLUSTER_PROPERTY, DEFAULT_CLUSTER));
    private int index = -1;
    private String bindHost;
    private Path snapshots;
    private SnapshotRetention retention = SnapshotRetention.configured();
    private NanoClock clock = SystemNanoClock.INSTANCE;
    private final DeclaredTerms declared = new DeclaredTerms();
    private long answerNs = Settings.duration("sluice.answer.timeout", TimeUnit.SECONDS.toNanos(10));
    private long completeNs = Settings.duration("sluice.complete.timeout", TimeUnit.SECONDS.toNanos(60));
    private long coordinatorWaitNs = Settings.duration(COORDINATOR_WAIT_PROPERTY, TimeUnit.MINUTES.toNanos(10));
    private Path aeronDirectory = new Driver.Context().directory();
    private ChannelSettings channels = new ChannelSettings();
    private NetworkFeedback feedback = ConfiguredFeedback.fromProperties();
    private boolean answered = ConfiguredFeedback.isGiven();
    private ErrorHandler errorHandler = error -> System.err.println("sluice: " + ClusterException.sentence(error));
    private Supplier<IdleStrategy> idle = IdleKind.configured(IDLE_PROPERTY)::newStrategy;
    private boolean spinBeyondCores = SpinLimit.insisted();
    private long progressNs = Settings.duration("sluice.progress.timeout", TimeUnit.MINUTES.toNanos(10));
    private long flightBytes = Settings.size("sluice.flight.window", 0);
    private long relayPatienceNs = Settings.duration("sluice.relay.patience", TimeUnit.SECONDS.toNanos(2));
    private int retainBytes = Settings.intSize(RETAIN_PROPERTY, DEFAULT_RETAIN_BYTES);
    private boolean concluded;

    /** Creates the settings of a subclass. */
    protected NodeContext() {}

    private static List<Endpoint> endpoints(String text) {
        return Arrays.stream(text.split(",")).map(Endpoint::parse).toList();
    }

    /**
     * Address of the coordinator; of several coordinators, the addresses of all, in their order, separated by commas.
     *
     * @param endpoint {@code host:port}, once or several times
     * @return this
     * @throws io.sluice.messaging.api.MessagingException if the text is not an address
     */
    public C cluster(String endpoint) {
        cluster = endpoints(endpoint);
        return self();
    }

    /** Address of the coordinator, or the first of several. */
    public Endpoint cluster() {
        return cluster.getFirst();
    }

    /** Addresses of all coordinators. */
    public List<Endpoint> coordinators() {
        return cluster;
    }

    /**
     * How long this node continues without a leader if there are several coordinators.
     *
     * @param ns nanoseconds, positive; ten minutes by default
     * @return this
     */
    public C coordinatorWaitNs(long ns) {
        coordinatorWaitNs = ns;
        return self();
    }

    /** How long this node continues without a leader, in nanoseconds. */
    public long coordinatorWaitNs() {
        return coordinatorWaitNs;
    }

    /**
     * The index of the server or worker; -1 for any.
     *
     * @param value index among the role, or -1
     * @return this
     */
    public C index(int value) {
        index = value;
        return self();
    }

    /** The index of the server or worker; -1 for any. */
    public int index() {
        return index;
    }

    /**
     * Sets the address on which this node listens; by default the local address of the route to the coordinator.
     *
     * @param host name or address of a local interface
     * @return this
     */
    public C bindHost(String host) {
        bindHost = host;
        return self();
    }

    /** The address on which this node listens; null for the local address of the route to the coordinator. */
    public String bindHost() {
        return bindHost;
    }

    /**
     * Sets the folder of the job's snapshots, in which this node has a folder named after it. The node must state its
     * index. Without a folder it takes no snapshots, and clusters that take snapshots refuse it.
     *
     * @param folder folder that nodes may share; created if it does not exist
     * @return this
     */
    public C snapshots(Path folder) {
        snapshots = folder;
        return self();
    }

    /** The folder of this node's snapshots, or null. */
    public Path snapshots() {
        return snapshots;
    }

    /**
     * Sets how many committed snapshots this node keeps. The snapshots on which they build are kept as well.
     *
     * @param number 2 to 64; by default two, in case the last one cannot be read
     * @return this
     * @throws io.sluice.messaging.api.MessagingException if the number is out of range
     */
    public C keptSnapshots(int number) {
        retention = retention.withCommits(number);
        return self();
    }

    /** How many committed snapshots this node keeps. */
    public int keptSnapshots() {
        return retention.commits();
    }

    /**
     * Sets the longest sequence of snapshots that hold only what has changed, between whole snapshots.
     *
     * @param number 0, for whole snapshots only, to 1,000; 31 by default
     * @return this
     * @throws io.sluice.messaging.api.MessagingException if the number is out of range
     */
    public C snapshotIncrements(int number) {
        retention = retention.withIncrements(number);
        return self();
    }

    /** The longest sequence of snapshots that hold only what has changed. */
    public int snapshotIncrements() {
        return retention.increments();
    }

    /**
     * Sets whether this node logs the clocks between snapshots where that is short: in jobs that have factor tables
     * alone, with a selection that keeps nothing from clock to clock.
     *
     * @param value true by default
     * @return this
     */
    public C logsClocks(boolean value) {
        retention = retention.withLogs(value);
        return self();
    }

    /** Whether this node logs the clocks between snapshots where that is short. */
    public boolean logsClocks() {
        return retention.logs();
    }

    /**
     * Sets the source of monotonic time.
     *
     * @param value monotonic clock of the node; that of the system by default
     * @return this
     */
    public C clock(NanoClock value) {
        clock = value;
        return self();
    }

    /** The source of monotonic time. */
    public NanoClock clock() {
        return clock;
    }

    /**
     * Sets the time to wait for any answer from the coordinator; with several coordinators, which may have to elect a
     * leader first, the wait is three times as long.
     *
     * @param ns nanoseconds, positive
     * @return this
     */
    public C answerNs(long ns) {
        answerNs = ns;
        return self();
    }

    /**
     * The time to wait for any answer from the coordinator, in nanoseconds; with several coordinators, three times the
     * setting.
     */
    public long answerNs() {
        return cluster.size() > 1 ? ELECTION_FACTOR * answerNs : answerNs;
    }

    /**
     * How long to wait for all nodes to join.
     *
     * @param ns nanoseconds, positive
     * @return this
     */
    public C completeNs(long ns) {
        completeNs = ns;
        return self();
    }

    /** How long to wait for all nodes to join, in nanoseconds. */
    public long completeNs() {
        return completeNs;
    }

    /**
     * Declares a term of this node's trainer, see {@code WorkerContext}.
     *
     * @param name  name of the term
     * @param value value of the term
     */
    protected final void declareTerm(String name, String value) {
        declared.declare(name, value);
    }

    /** The terms of this node's trainer, one {@code name=value} a line, in the order of the names. */
    public String declaredTerms() {
        return declared.text();
    }

    /**
     * Directory of the media driver to use.
     *
     * @param path directory in which a driver runs
     * @return this
     */
    public C aeronDirectory(Path path) {
        aeronDirectory = path;
        return self();
    }

    /** Directory of the media driver to use. */
    public Path aeronDirectory() {
        return aeronDirectory;
    }

    /**
     * Lengths of the channels to other nodes.
     *
     * @param value lengths; by default those of system properties
     * @return this
     */
    public C channels(ChannelSettings value) {
        channels = value;
        return self();
    }

    /** Lengths of the channels to other nodes. */
    public ChannelSettings channels() {
        return channels;
    }

    /**
     * Sets the network feedback for this node's filters. By default they use measurements if the cluster's filter needs
     * them, and otherwise the constants of the properties {@code sluice.network.sufficient} (true) and {@code
     * sluice.network.bytes} (of a clock; none). One of these properties, or this setting, replaces measurements.
     *
     * @param value feedback that the filtering thread reads
     * @return this
     */
    public C feedback(NetworkFeedback value) {
        feedback = value;
        answered = true;
        return self();
    }

    /** The network feedback for this node's filters. */
    public NetworkFeedback feedback() {
        return feedback;
    }

    /**
     * Whether this node's filters use measurements, where the cluster's filter needs them.
     *
     * @return false if {@link #feedback(NetworkFeedback)} or a property replaces them
     */
    public boolean measuresNetwork() {
        return !answered;
    }

    /**
     * Sets the handler of errors on threads other than the caller's; by default each error is printed to standard error
     * as a line.
     *
     * @param handler handler that must not block
     * @return this
     */
    public C errorHandler(ErrorHandler handler) {
        errorHandler = handler;
        return self();
    }

    /** The handler of errors on threads other than the caller's. */
    public ErrorHandler errorHandler() {
        return errorHandler;
    }

    /**
     * How long {@code sync} and {@code update} may wait while all nodes are alive: longer than the slowest iteration of
     * the slowest worker, for which the others may have to wait.
     *
     * @param ns nanoseconds, positive; ten minutes by default
     * @return this
     */
    public C progressNs(long ns) {
        progressNs = ns;
        return self();
    }

    /** How long {@code sync} and {@code update} may wait while all nodes are alive, in nanoseconds. */
    public long progressNs() {
        return progressNs;
    }

    /**
     * Sets how many bytes a UDP link may have in flight before it waits for acknowledgements, if the cluster has an
     * order or a budget: frames that wait above the link can still be overtaken and merged. Receivers report each
     * quarter of their window, so a limit below half the window would stall links.
     *
     * @param bytes half the receiver window or more; 0, the default, for no bound but Aeron's own
     * @return this
     */
    public C flightBytes(long bytes) {
        flightBytes = bytes;
        return self();
    }

    /** How many bytes a UDP link may have in flight; 0 for no bound but Aeron's own. */
    public long flightBytes() {
        return flightBytes;
    }

    /**
     * Sets how long a stalled child in a broadcast tree may block the other children of this node. After this time,
     * broadcasts continue without the child, which requests the frames that it misses once it reads again. Only used if
     * broadcasts are relayed or nodes may rejoin ({@code DeathPolicy.WAIT}): otherwise no node requests missing frames.
     *
     * @param ns nanoseconds above 0; two seconds by default
     * @return this
     */
    public C relayPatienceNs(long ns) {
        relayPatienceNs = ns;
        return self();
    }

    /** How long a stalled child may block the other children, in nanoseconds. */
    public long relayPatienceNs() {
        return relayPatienceNs;
    }

    /**
     * Sets the maximum number of sent bytes that this node retains for repair; memory grows with use.
     *
     * <p>A server retains broadcasts if workers forward them: as many as a worker may miss, which is one version or two
     * under BSP and more by the staleness. If nodes may rejoin ({@code DeathPolicy.WAIT}), servers retain the
     * broadcasts, and workers the pushes to all servers, since the last snapshot. Once half of the limit is used, the
     * node requests a snapshot. Otherwise workers retain frames that they push over a network until a server's
     * broadcasts show that it received them: two rounds under BSP, for which memory is allocated at the start. A worker
     * fails if it needs frames that are no longer retained. A server that needs such frames ends the cluster.
     *
     * @param bytes 1 MiB to 1 GiB; 1 GiB by default; rounded down to a power of two at a server, and for each server at
     *              a worker
     * @return this
     */
    public C retainBytes(int bytes) {
        retainBytes = bytes;
        return self();
    }

    /** The maximum number of sent bytes that are retained. */
    public int retainBytes() {
        return retainBytes;
    }

    /**
     * Sets the idle strategy of the node's busy threads. By default they back off, so that having more threads than
     * cores is harmless. A strategy that spins is refused if there are more busy threads than cores, including those of
     * a media driver in this process. Threads that only send heartbeats sleep in any case, and do not count.
     *
     * @param strategy makes a fresh strategy for each thread
     * @return this
     */
    public C idle(Supplier<IdleStrategy> strategy) {
        idle = strategy;
        return self();
    }

    /**
     * Allows an idle strategy that spins although there are more busy threads than cores, for example if threads are
     * bound to cores.
     *
     * @param value false by default
     * @return this
     */
    public C spinBeyondCores(boolean value) {
        spinBeyondCores = value;
        return self();
    }

    /** A fresh idle strategy for one thread. */
    public IdleStrategy newIdleStrategy() {
        return idle.get();
    }

    /**
     * Number of busy threads of this node, each of which needs a core, as far as it is known before the join.
     *
     * @return 0 or more
     */
    protected abstract int busyThreads();

    /**
     * Refuses to spin with more busy threads than cores.
     *
     * @param own busy threads of the node; those of a media driver in this process are added
     */
    protected void requireCores(int own) {
        if (!spinBeyondCores) {
            int cores = Runtime.getRuntime().availableProcessors();
            SpinLimit.require("this node", newIdleStrategy(), own, RunningDriver.threadsHere(aeronDirectory), cores);
        }
    }

    /**
     * Checks all settings and sets the defaults of those that were left open.
     *
     * @throws IllegalArgumentException naming the setting, its value and the range
     * @throws IllegalStateException    if called twice: a context serves one node
     */
    public void conclude() {
        if (concluded) {
            throw new IllegalStateException("the context has already been used");
        }
        concluded = true;
        Objects.requireNonNull(aeronDirectory, "aeronDirectory");
        Objects.requireNonNull(channels, "channels");
        Objects.requireNonNull(errorHandler, "errorHandler");
        Objects.requireNonNull(feedback, "feedback");
        Objects.requireNonNull(idle, "idle");
        requireJoinable();
        requireCores(busyThreads());
        requirePositive("progress time", progressNs);
        Settings.inRange("relayPatienceNs", relayPatienceNs, 1, Long.MAX_VALUE);
        Settings.inRange(RETAIN_PROPERTY, retainBytes, MIN_RETAIN_BYTES, DEFAULT_RETAIN_BYTES);
        channels.check();
        int least = channels.receiverWindow() / 2;
        if (0 != flightBytes && flightBytes < least) {
            throw new IllegalArgumentException("flight window is " + flightBytes + " bytes, expected 0 or " + least
                    + " (half the receiver window) or more");
        }
    }

    private void requireJoinable() {
        concludeSecret();
        Objects.requireNonNull(clock, "clock");
        requirePositive("answer time", answerNs);
        requirePositive("complete time", completeNs);
        requirePositive("coordinator wait", coordinatorWaitNs);
        if (index < -1) {
            throw new IllegalArgumentException("index is " + index + ", expected -1 (any) or more");
        }
        if (null != snapshots && index < 0) {
            throw new IllegalArgumentException("snapshots are to be kept in " + snapshots
                    + ", but the node has no index: expected an index, by which it finds its snapshots again");
        }
    }

    private static void requirePositive(String name, long ns) {
        if (ns <= 0) {
            throw new IllegalArgumentException(name + " is " + ns + " ns, expected more than 0");
        }
    }
}
