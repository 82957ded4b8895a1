package io.sluice.consistency.node;

import io.sluice.consistency.membership.DeclaredTerms;
import io.sluice.consistency.terms.SnapshotRetention;
import io.sluice.messaging.Settings;
import io.sluice.messaging.api.Endpoint;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Settings with which a node joins a cluster: the address, the place that it requests, how long it waits, and the
 * folder of its snapshots. Defaults come from system properties; setters override them.
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

    /** For subclasses: begins with the default settings. */
    protected JoinContext() {}

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
     * Sets how many snapshots this node keeps, and in which form.
     *
     * @param value retention; by default two commits, with increments between whole snapshots
     * @return this
     */
    public C retention(SnapshotRetention value) {
        retention = value;
        return self();
    }

    /** How many snapshots this node keeps, and in which form. */
    public SnapshotRetention retention() {
        return retention;
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

    /** Checks these settings and reads the secret. */
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
                    + ", but the node has no index: expected an index, by which it finds its snapshots again");
        }
    }

    static void requirePositive(String name, long ns) {
        if (ns <= 0) {
            throw new IllegalArgumentException(name + " is " + ns + " ns, expected more than 0");
        }
    }
}
