package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.snapshot.SnapshotException;
import io.sluice.consistency.snapshot.SnapshotFolder;
import io.sluice.consistency.snapshot.SnapshotRetention;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Role;
import io.sluice.messaging.Endpoint;
import io.sluice.messaging.Routes;
import io.sluice.messaging.Settings;
import io.sluice.messaging.Uninterrupted;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * How a node joins a cluster: the address, the place that it asks for, how long it waits, and which snapshots it holds.
 * Defaults come from system properties, setters override them.
 *
 * @param <C> the concrete context, which setters return
 */
public abstract class JoinContext<C extends JoinContext<C>> extends SecretContext<C> {
    /** Property for {@link #cluster(String)}. */
    public static final String CLUSTER_PROPERTY = "sluice.cluster";

    /** Property with the default address of the coordinator. */
    public static final String DEFAULT_CLUSTER = "localhost:40100";

    /** Property for {@link #coordinatorWaitNs(long)}. */
    public static final String COORDINATOR_WAIT_PROPERTY = "sluice.coordinator.wait";

    private static final int ELECTION_FACTOR = 3;

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

    /** For subclasses. */
    protected JoinContext() {}

    private static List<Endpoint> endpoints(String text) {
        return Arrays.stream(text.split(",")).map(Endpoint::parse).toList();
    }

    /**
     * Address of the coordinator; of several coordinators, the addresses of all, in their order, separated by commas.
     *
     * @param endpoint {@code host:port}, once or several times
     * @return this
     * @throws io.sluice.messaging.MessagingException if it is not an address
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
     * Where this node keeps its snapshots, in a folder of its own named after it. The node has to say which one it is.
     * Without this it takes none, and no cluster that does lets it in.
     *
     * @param folder may be shared with other nodes; made if it is not there
     * @return this
     */
    public C snapshots(Path folder) {
        snapshots = folder;
        return self();
    }

    /** Where this node keeps its snapshots, or null. */
    public Path snapshots() {
        return snapshots;
    }

    /**
     * What this node keeps of its snapshots, and how.
     *
     * @param value two commits, and increments between whole ones, by default
     * @return this
     */
    public C retention(SnapshotRetention value) {
        retention = value;
        return self();
    }

    /** What this node keeps of its snapshots, and how. */
    public SnapshotRetention retention() {
        return retention;
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
     * How long to wait for any sign of the coordinator; of several, which may have to choose one first, for three times
     * as long.
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
     * Declares a term of this node's trainer, see {@code WorkerContext}.
     *
     * @param name  of the term
     * @param value of the term
     */
    protected final void declareTerm(String name, String value) {
        declared.declare(name, value);
    }

    /**
     * The request that this node sends to the coordinator.
     *
     * @param role    of the node
     * @param damaged takes each snapshot in the folder that is not whole
     * @return the request
     * @throws io.sluice.consistency.snapshot.SnapshotException if the folder cannot be used, or all snapshots are
     *     damaged
     */
    public JoinRequest joinRequest(Role role, Consumer<String> damaged) {
        InetAddress local = null == bindHost
                ? Routes.localAddressTowards(cluster())
                : new Endpoint(bindHost, 0).resolve().getAddress();
        requireSecretBeyondLoopback("this " + role.configName(), local);
        Endpoint receiving = new Endpoint(local.getHostAddress(), 0); // peers take addresses only, no names
        SnapshotFolder folder =
                null == snapshots ? null : Uninterrupted.call(() -> SnapshotFolder.ofNode(snapshots, role, index));
        List<SnapshotFolder.Held> held = null == folder
                ? List.of()
                : Claims.told(Uninterrupted.call(() -> folder.heldUnlessAllDamaged(damaged)));
        List<Long> changes = held.isEmpty()
                ? List.of()
                : Uninterrupted.call(() -> folder.workerSetAt(held.getFirst().clock()));
        long patienceNs = cluster.size() > 1 ? ELECTION_FACTOR * answerNs : answerNs;
        return new JoinRequest(
                role,
                index,
                cluster,
                receiving,
                held,
                changes,
                declared.text(),
                patienceNs,
                completeNs,
                coordinatorWaitNs,
                clock,
                secret());
    }

    /**
     * Begins to keep this node's snapshots, if the cluster takes any.
     *
     * @param membership of this node
     * @param role       of this node
     * @param reporting  takes a sentence if the folder is not used, or its disk is slow at the end
     * @return what keeps the snapshots, or null; close it before the memory that they are copied to
     * @throws ClusterException if the node has no folder for them, or would have to delete what was committed
     */
    public NodeSnapshots keepSnapshots(Membership membership, Role role, Consumer<String> reporting) {
        ClusterPlan plan = membership.plan();
        String name = plan.nameOf(membership.node());
        if (!plan.start().takesSnapshots()) {
            if (null != snapshots) {
                reporting.accept(name + " keeps nothing in " + snapshots + ": this cluster takes no snapshots");
            }
            return null;
        }
        if (null == snapshots) {
            throw membership.fail(
                    Failure.REFUSED, name + " was given no folder for the snapshots that this cluster takes");
        }
        return Uninterrupted.call(() -> keepSnapshots(membership, role, name, reporting));
    }

    private NodeSnapshots keepSnapshots(Membership membership, Role role, String name, Consumer<String> reporting) {
        ClusterPlan plan = membership.plan();
        SnapshotFolder folder = SnapshotFolder.ofNode(snapshots, role, index);
        if (!plan.start().isRestored() && !plan.isOfNewcomer()) {
            try {
                folder.requireNoneCommitted();
            } catch (SnapshotException e) {
                throw membership.fail(Failure.REFUSED, name + " does not take part: " + e.getMessage());
            }
        }
        // What is newer is of a life that ended before all had it, or of a future that is given up: none of it may be
        // there when this node takes part in another. Who begins with none has nothing that could be of use; but what
        // the node before had in the place of a newcomer may be gone back to until there are later commits.
        long committed = membership.snapshots().committed();
        folder.keep(at -> at <= committed);
        return new NodeSnapshots(
                folder,
                membership.snapshots(),
                plan.start().run(),
                name,
                plan.settings().shape(),
                retention,
                new CountedSnapshots(membership.counters()),
                clock,
                reporting);
    }

    /** Checks what is set here, and reads the secret. */
    void requireJoinable() {
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
                    + ", but the node may be any: expected an index, by which it finds its own again");
        }
    }

    static void requirePositive(String name, long ns) {
        if (ns <= 0) {
            throw new IllegalArgumentException(name + " is " + ns + " ns, expected more than 0");
        }
    }
}
