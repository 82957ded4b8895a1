package io.sluice.consistency.membership;

import io.sluice.consistency.feedback.ConfiguredFeedback;
import io.sluice.filter.feedback.NetworkFeedback;
import io.sluice.filter.feedback.SettableFeedback;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.policy.FilterPolicy;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Driver;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.MessagingException;
import io.sluice.messaging.Routes;
import io.sluice.messaging.Settings;
import io.sluice.messaging.Transport;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Settings that servers and workers have in common. Defaults come from system properties, setters override them, and
 * {@link #conclude()} checks them once.
 *
 * @param <C> the concrete context, which setters return
 */
public abstract class NodeContext<C extends NodeContext<C>> {
    /** Property for {@link #cluster(String)}. */
    public static final String CLUSTER_PROPERTY = "sluice.cluster";

    /** Property for {@link #idle(Supplier)}: the word of an {@link IdleKind}. */
    public static final String IDLE_PROPERTY = "sluice.idle";

    /** Where the coordinator is looked for unless told otherwise. */
    public static final String DEFAULT_CLUSTER = "localhost:40100";

    private Endpoint cluster = Endpoint.parse(System.getProperty(CLUSTER_PROPERTY, DEFAULT_CLUSTER));
    private int index = -1;
    private Path aeronDirectory = new Driver.Context().directory();
    private String bindHost;
    private Channels channels;
    private Kernels kernels;
    private NetworkFeedback feedback = ConfiguredFeedback.get();
    private boolean answered = ConfiguredFeedback.isGiven();
    private ErrorHandler errorHandler = error ->
            System.err.println("sluice: " + (error instanceof MessagingException ? error.getMessage() : error));
    private NanoClock clock = SystemNanoClock.INSTANCE;
    private Supplier<IdleStrategy> idle = IdleKind.configured(IDLE_PROPERTY)::newStrategy;
    private boolean spinBeyondCores = SpinLimit.insisted();
    private long answerNs = Settings.duration("sluice.answer.timeout", TimeUnit.SECONDS.toNanos(10));
    private long completeNs = Settings.duration("sluice.complete.timeout", TimeUnit.SECONDS.toNanos(60));
    private long progressNs = Settings.duration("sluice.progress.timeout", TimeUnit.MINUTES.toNanos(10));
    private long flightBytes = Settings.size("sluice.flight.window", 0);
    private boolean concluded;

    /** For subclasses. */
    protected NodeContext() {}

    /**
     * This context as its own type.
     *
     * @return {@code this}
     */
    protected abstract C self();

    /**
     * Address of the coordinator.
     *
     * @param endpoint {@code host:port}
     * @return this
     * @throws io.sluice.messaging.MessagingException if it is no such thing
     */
    public C cluster(String endpoint) {
        cluster = Endpoint.parse(endpoint);
        return self();
    }

    /** Address of the coordinator. */
    public Endpoint cluster() {
        return cluster;
    }

    /**
     * Which server or worker to be; -1 for any.
     *
     * @param value index among the role, or -1
     * @return this
     */
    public C index(int value) {
        index = value;
        return self();
    }

    /** Which server or worker to be; -1 for any. */
    public int index() {
        return index;
    }

    /**
     * Directory of the media driver to use.
     *
     * @param path where a driver runs
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
     * Address at which this node receives UDP; by default the one from which the coordinator is reached.
     *
     * @param host name or address of a local interface
     * @return this
     */
    public C bindHost(String host) {
        bindHost = host;
        return self();
    }

    /**
     * Tuned channels.
     *
     * @param value channels; by default those of system properties
     * @return this
     */
    public C channels(Channels value) {
        channels = value;
        return self();
    }

    /**
     * The loops to run on; by default the fastest this JVM has.
     *
     * @param value kernels
     * @return this
     */
    public C kernels(Kernels value) {
        kernels = value;
        return self();
    }

    /** The loops to run on. */
    public Kernels kernels() {
        return kernels;
    }

    /**
     * What this node's filters are told of the network. By default what is measured, if the cluster's filter asks for
     * that; else always the same, as the properties {@code sluice.network.sufficient} (true) and
     * {@code sluice.network.bytes} (of a clock; none) say. Setting one of these, or this, leaves measurements out.
     *
     * @param value asked from the thread that filters
     * @return this
     */
    public C feedback(NetworkFeedback value) {
        feedback = value;
        answered = true;
        return self();
    }

    /** What this node's filters are told of the network. */
    public NetworkFeedback feedback() {
        return feedback;
    }

    /**
     * What this node's filters are told of the network under these terms.
     *
     * @param terms of the cluster
     * @return what is to be set by what is measured, or null if that is not asked for or the context has an answer
     */
    public SettableFeedback measuredFeedback(ClusterSettings terms) {
        FilterPolicy policy = terms.filterPolicy();
        boolean asked = Protocol.UPDATE == terms.protocol() && (policy.leastRate() > 0 || policy.followsRate());
        return asked && !answered ? new SettableFeedback() : null;
    }

    /**
     * Told of errors on threads that are not the caller's; by default they are printed to standard error, a line each.
     *
     * @param handler must not block
     * @return this
     */
    public C errorHandler(ErrorHandler handler) {
        errorHandler = handler;
        return self();
    }

    /** Told of errors on threads that are not the caller's. */
    public ErrorHandler errorHandler() {
        return errorHandler;
    }

    /**
     * Monotonic time.
     *
     * @param value clock
     * @return this
     */
    public C clock(NanoClock value) {
        clock = value;
        return self();
    }

    /** Monotonic time. */
    public NanoClock clock() {
        return clock;
    }

    /**
     * How long to wait for any sign of the coordinator.
     *
     * @param ns nanoseconds, positive
     * @return this
     */
    public C answerNs(long ns) {
        answerNs = ns;
        return self();
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
     * How many bytes a UDP link may have on their way before it waits for acknowledgements, if the cluster has an order
     * or a budget: what waits above the link can still be overtaken and merged. Receivers report by quarters of their
     * window, so less than half of that would hold links up.
     *
     * @param bytes half the receiver window or more; 0, the default, for no bound but Aeron's own
     * @return this
     */
    public C flightBytes(long bytes) {
        flightBytes = bytes;
        return self();
    }

    /** How many bytes a UDP link may have on their way; 0 for no bound but Aeron's own. */
    public long flightBytes() {
        return flightBytes;
    }

    /**
     * What the node's busy threads do while there is nothing to do. By default they back off, so that more threads than
     * cores do no harm. One that spins is refused if there are more busy threads than cores, those of a media driver in
     * this process included; threads that only keep heartbeats sleep mostly, whatever this says, and do not count.
     *
     * @param strategy makes a fresh strategy for each thread
     * @return this
     */
    public C idle(Supplier<IdleStrategy> strategy) {
        idle = strategy;
        return self();
    }

    /**
     * Insists on an idle strategy that spins although there are more busy threads than cores: for whoever has counted
     * better, say because threads have been bound to cores.
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
     * How many threads of this node want a core of their own, as far as it is known before it has joined.
     *
     * @return 0 or more
     */
    protected abstract int busyThreads();

    /**
     * Refuses to spin with more busy threads than cores.
     *
     * @param own busy threads of the node, to which those of a media driver in this process are added
     */
    protected void requireCores(int own) {
        if (!spinBeyondCores) {
            int cores = Runtime.getRuntime().availableProcessors();
            SpinLimit.require("this node", newIdleStrategy(), own, Driver.threadsHere(aeronDirectory), cores);
        }
    }

    /**
     * Checks all settings and fills in what was left open.
     *
     * @throws IllegalArgumentException naming the setting, its value and the range
     * @throws IllegalStateException    if called twice: a context serves one node
     */
    public void conclude() {
        if (concluded) {
            throw new IllegalStateException("the context has been used already");
        }
        concluded = true;
        Objects.requireNonNull(aeronDirectory, "aeronDirectory");
        Objects.requireNonNull(errorHandler, "errorHandler");
        Objects.requireNonNull(clock, "clock");
        Objects.requireNonNull(feedback, "feedback");
        Objects.requireNonNull(idle, "idle");
        requireCores(busyThreads());
        requirePositive("answer time", answerNs);
        requirePositive("complete time", completeNs);
        requirePositive("progress time", progressNs);
        if (index < -1) {
            throw new IllegalArgumentException("index is " + index + ", expected -1 (any) or more");
        }
        if (null == kernels) {
            kernels = Kernels.preferred();
        }
        if (null == channels) {
            channels = new Channels();
        }
        int least = channels.context().receiverWindow() / 2;
        if (0 != flightBytes && flightBytes < least) {
            throw new IllegalArgumentException("flight window is " + flightBytes + " bytes, expected 0 or " + least
                    + " (half the receiver window) or more");
        }
    }

    /**
     * Connects to the media driver.
     *
     * @return the transport
     * @throws io.sluice.messaging.MessagingException if there is none
     */
    public Transport connect() {
        return Transport.connect(transportContext());
    }

    /** New settings of the connection to the media driver. */
    protected Transport.Context transportContext() {
        return new Transport.Context()
                .directory(aeronDirectory)
                .channels(channels)
                .errorHandler(errorHandler);
    }

    /**
     * What to say to the coordinator.
     *
     * @param role what the node wants to be
     * @return the request
     */
    public JoinRequest joinRequest(Role role) {
        InetAddress local = null == bindHost
                ? Routes.localAddressTowards(cluster)
                : new Endpoint(bindHost, 0).resolve().getAddress();
        Endpoint receiving = new Endpoint(local.getHostAddress(), 0); // peers take addresses only, no names
        return new JoinRequest(role, index, cluster, receiving, answerNs, completeNs, clock);
    }

    private static void requirePositive(String name, long ns) {
        if (ns <= 0) {
            throw new IllegalArgumentException(name + " is " + ns + " ns, expected more than 0");
        }
    }
}
