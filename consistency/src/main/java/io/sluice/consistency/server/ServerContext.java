package io.sluice.consistency.server;

import io.sluice.consistency.membership.SnapshotOrders;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.messaging.Settings;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Settings of a {@link Server}. */
public final class ServerContext extends NodeContext<ServerContext> {
    /** Property for {@link #threading(ThreadingMode)}. */
    public static final String THREADING_PROPERTY = "sluice.threading";

    /** Property for {@link #reorderBytes(long)}. */
    public static final String REORDER_PROPERTY = "sluice.reorder.length";

    /** Property for {@link #waitLimitNs(long)}. */
    public static final String WAIT_PROPERTY = "sluice.wait.limit";

    private static final long DEFAULT_WAIT_NS = TimeUnit.MINUTES.toNanos(10);

    private static final long DEFAULT_REORDER_BYTES = 64 << 20;
    private static final long MAX_REORDER_BYTES = Integer.MAX_VALUE;

    private ClusterSettings settings;
    private SnapshotOrders snapshotOrders = SnapshotOrders.none();
    private String threading = Settings.text(THREADING_PROPERTY, ThreadingMode.DEDICATED.configName());
    private long reorderBytes = Settings.size(REORDER_PROPERTY, DEFAULT_REORDER_BYTES);

    private long waitLimitNs = Settings.duration(WAIT_PROPERTY, DEFAULT_WAIT_NS);

    /** Creates settings with their defaults, for a server that joins a cluster. */
    public ServerContext() {}

    @Override
    protected ServerContext self() {
        return this;
    }

    /**
     * Makes this server the one that coordinates the cluster, under these terms, at the address {@link #cluster()}.
     *
     * @param terms the terms; null to join a cluster that another server coordinates
     * @return this
     */
    public ServerContext coordinate(ClusterSettings terms) {
        settings = terms;
        return this;
    }

    /**
     * Sets the memory for pushes that arrive before their turn in a sum in worker order, if the cluster sends in an
     * order. Without it, a frame that arrives early blocks the urgent frames after it. The server never allocates more
     * than the shard's slices could fill.
     *
     * @param bytes 0 to leave early frames in their logs, up to 2 GiB; 64 MiB by default
     * @return this
     */
    public ServerContext reorderBytes(long bytes) {
        reorderBytes = bytes;
        return this;
    }

    /** Number of bytes of pushes that may be held until their turn. */
    public long reorderBytes() {
        return reorderBytes;
    }

    /**
     * Enables snapshots, in the folder that each node names ({@link #snapshots(java.nio.file.Path)}), including this
     * server. For the server that coordinates, in clusters under BSP with the update protocol.
     *
     * @param interval time between two snapshots: a number of clocks, such as {@code 10}; {@code auto}, which derives
     *     it from their cost for a failure of the cluster in a day; or {@code auto:6h} with another mean time between
     *     failures, in s, m, h or d
     * @param restore whether to continue from the newest clock of which all nodes hold a snapshot, or from the
     *     beginning if no node holds any; otherwise nodes must not hold any
     * @return this
     * @throws IllegalArgumentException if the interval is malformed
     */
    public ServerContext takeSnapshots(String interval, boolean restore) {
        return takeSnapshots(interval, restore ? Restoration.NEWEST : Restoration.NONE);
    }

    /**
     * Like {@link #takeSnapshots(String, boolean)}, but continues from a given clock and discards later snapshots.
     *
     * @param interval as for {@link #takeSnapshots(String, boolean)}
     * @param clock    a clock of which all nodes hold a snapshot, 0 or more
     * @return this
     * @throws IllegalArgumentException if the interval is malformed, or the clock is negative
     */
    public ServerContext takeSnapshots(String interval, long clock) {
        return takeSnapshots(interval, Restoration.at(clock));
    }

    private ServerContext takeSnapshots(String interval, Restoration restoration) {
        snapshotOrders = new SnapshotOrders(SnapshotInterval.parse(interval), restoration);
        return this;
    }

    /** The coordinator's settings for snapshots. */
    SnapshotOrders snapshotOrders() {
        return snapshotOrders;
    }

    /**
     * Sets the time that the cluster waits under {@code DeathPolicy.WAIT} until a dead node is started again. For the
     * server that coordinates.
     *
     * @param ns nanoseconds above 0; ten minutes by default
     * @return this
     */
    public ServerContext waitLimitNs(long ns) {
        waitLimitNs = ns;
        return this;
    }

    /** The time that the cluster waits for a dead node, in nanoseconds. */
    public long waitLimitNs() {
        return waitLimitNs;
    }

    /**
     * The threads of the server's agents.
     *
     * @param mode threading mode; by default dedicated
     * @return this
     */
    public ServerContext threading(ThreadingMode mode) {
        threading = Objects.requireNonNull(mode, "threading").configName();
        return this;
    }

    /**
     * The threads of the server's agents.
     *
     * @return the mode
     * @throws IllegalArgumentException if the property names none
     */
    public ThreadingMode threading() {
        return Settings.constant(THREADING_PROPERTY, threading, ThreadingMode.class);
    }

    /** The cores for the serving thread; none if the program invokes the server and so chooses how to wait. */
    @Override
    protected int busyThreads() {
        return ThreadingMode.INVOKER == threading() ? 0 : 1;
    }

    /** Gives the coordinator's own server index 0, even if another server joins first. */
    @Override
    public void conclude() {
        threading(); // refuses a bad value of the property
        if (null != settings) {
            if (index() > 0) {
                throw new IllegalArgumentException(
                        "index is " + index() + ", expected 0 or -1: the server that coordinates is server 0");
            }
            index(0);
        }
        if (snapshotOrders.takesSnapshots()) {
            requireFolder();
        }
        boolean waits = null != settings && DeathPolicy.WAIT == settings.onDeath();
        if (snapshotOrders.takesSnapshots() || waits) {
            settings.requireFitForSnapshots();
        }
        if (waits && !snapshotOrders.takesSnapshots()) {
            throw new IllegalArgumentException("onDeath is " + DeathPolicy.WAIT.configName()
                    + ", but no snapshots are taken from which a node could continue: set a folder and an interval");
        }
        Settings.inRange(WAIT_PROPERTY, waitLimitNs, 1, Long.MAX_VALUE);
        Settings.inRange(REORDER_PROPERTY, reorderBytes, 0, MAX_REORDER_BYTES);
        super.conclude();
        if (null != settings) {
            requireSecretBeyondLoopback("the coordinator", cluster().resolve().getAddress());
        }
        if (null != settings && settings.seal() && null == secret()) {
            throw new IllegalArgumentException(
                    "the terms require sealed frames, but there is no secret to derive keys from: make one with"
                            + " 'sluice secret FILE' and give it to all nodes (" + SECRET_FILE_PROPERTY + ")");
        }
    }

    private void requireFolder() {
        if (null == settings || null == snapshots()) {
            throw new IllegalArgumentException("snapshots are ordered, expected "
                    + (null == settings ? "that by the server that coordinates only" : "a folder for them"));
        }
    }

    /** The terms if this server coordinates, otherwise null. */
    public ClusterSettings coordinate() {
        return settings;
    }
}
