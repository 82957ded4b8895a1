package io.sluice.consistency.node;

import io.sluice.consistency.feedback.ConfiguredFeedback;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.IdleKind;
import io.sluice.filter.spi.NetworkFeedback;
import io.sluice.messaging.RunningDriver;
import io.sluice.messaging.Settings;
import io.sluice.messaging.SpinLimit;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;

/**
 * Settings that servers and workers have in common. Defaults come from system properties, setters override them, and
 * {@link #conclude()} checks them once.
 *
 * @param <C> the concrete context, which setters return
 */
public abstract class NodeContext<C extends NodeContext<C>> extends JoinContext<C> {
    /** Property for {@link #idle(Supplier)}: the word of an {@link IdleKind}. */
    public static final String IDLE_PROPERTY = "sluice.idle";

    /** Property for {@link #retainBytes(int)}. */
    public static final String RETAIN_PROPERTY = "sluice.retain.length";

    private static final int DEFAULT_RETAIN_BYTES = 1 << 30;
    private static final int MIN_RETAIN_BYTES = 1 << 20;

    private Path aeronDirectory = new Driver.Context().directory();
    private ChannelSettings channels = new ChannelSettings();
    private NetworkFeedback feedback = ConfiguredFeedback.get();
    private boolean answered = ConfiguredFeedback.isGiven();
    private ErrorHandler errorHandler = error -> System.err.println("sluice: " + ClusterException.sentence(error));
    private Supplier<IdleStrategy> idle = IdleKind.configured(IDLE_PROPERTY)::newStrategy;
    private boolean spinBeyondCores = SpinLimit.insisted();
    private long progressNs = Settings.duration("sluice.progress.timeout", TimeUnit.MINUTES.toNanos(10));
    private long flightBytes = Settings.size("sluice.flight.window", 0);
    private long relayPatienceNs = Settings.duration("sluice.relay.patience", TimeUnit.SECONDS.toNanos(2));
    private int retainBytes = Settings.intSize(RETAIN_PROPERTY, DEFAULT_RETAIN_BYTES);
    private boolean concluded;

    /** For subclasses. */
    protected NodeContext() {}

    /**
     * Directory of the media driver to use.
     *
     * @param path path where a driver runs
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
     * @param value value by default those of system properties
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
     * What this node's filters know of the network. By default they use measurements if the cluster's filter asks for
     * them, and otherwise the constants of the properties {@code sluice.network.sufficient} (true) and {@code
     * sluice.network.bytes} (of a clock; none). One of these properties, or this setting, replaces measurements.
     *
     * @param value asked from the thread that filters
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
     * Whether this node's filters use measurements, where the cluster's filter asks for them.
     *
     * @return false if {@link #feedback(NetworkFeedback)} or a property replaces them
     */
    public boolean measuresNetwork() {
        return !answered;
    }

    /**
     * Takes errors of threads that are not the caller's; by default they are printed to standard error, a line each.
     *
     * @param handler must not block
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

    /** How long a node may take nothing, in nanoseconds. */
    public long relayPatienceNs() {
        return relayPatienceNs;
    }

    /**
     * How many sent bytes this node retains at most for repair; memory grows with use.
     *
     * <p>A server retains broadcasts if they are relayed: as many as a worker may miss, which is one version or two
     * under BSP and more by the staleness. If nodes may rejoin ({@code DeathPolicy.WAIT}), servers retain broadcasts
     * and workers pushes, to all servers together, since the last snapshot; once half of the limit is used, the node
     * asks for a snapshot. Otherwise workers retain what they push over a network until servers have shown that they
     * have it: two rounds under BSP, for which memory is allocated at the start. A worker that needs what is not
     * retained any more fails; a server ends the cluster.
     *
     * @param bytes 1 MiB to 1 GiB; 1 GiB by default; of a server, and of each server's share at a worker, down to a
     *              power of two
     * @return this
     */
    public C retainBytes(int bytes) {
        retainBytes = bytes;
        return self();
    }

    /** How many bytes of what was sent are kept at most. */
    public int retainBytes() {
        return retainBytes;
    }

    /**
     * What the node's busy threads do while there is nothing to do. By default they back off, so that more threads than
     * cores do no harm. A strategy that spins is refused if there are more busy threads than cores, including those of
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
}
