package io.sluice.consistency.replica;

import io.sluice.consistency.membership.SnapshotOrders;
import io.sluice.consistency.node.SecretContext;
import io.sluice.consistency.snapshot.Restoration;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.DeathPolicy;
import io.sluice.messaging.Channels;
import io.sluice.messaging.Settings;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.Driver;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.ErrorHandler;

/**
 * Settings of one of several coordinators. All coordinators need the same settings except for the member and the
 * folder.
 */
public final class CoordinatorContext extends SecretContext<CoordinatorContext> {
    /** Ports that a coordinator uses above that of its address. */
    public static final int PORTS = 5;

    /** Property for {@link #waitLimitNs(long)}, shared with a single coordinator. */
    public static final String WAIT_PROPERTY = "sluice.wait.limit";

    private static final int MOST = 9;
    private static final int HIGHEST_PORT = 65_535;

    private int member;
    private List<Endpoint> members = List.of();
    private Path folder;
    private ClusterSettings terms;
    private SnapshotOrders snapshots = SnapshotOrders.none();
    private long waitLimitNs = Settings.duration(WAIT_PROPERTY, TimeUnit.MINUTES.toNanos(10));
    private Path aeronDirectory = new Driver.Context().directory();
    private ErrorHandler errorHandler = error -> {};

    /** Creates settings with their defaults. */
    public CoordinatorContext() {}

    @Override
    protected CoordinatorContext self() {
        return this;
    }

    /**
     * The index of this coordinator.
     *
     * @param index the index, from 0
     * @return this
     */
    public CoordinatorContext member(int index) {
        member = index;
        return self();
    }

    /** The index of this coordinator. */
    public int member() {
        return member;
    }

    /**
     * Addresses of all coordinators, equal to the addresses that nodes use. Each coordinator uses this port for nodes,
     * and the {@value #PORTS} ports above it for other coordinators.
     *
     * @param endpoints {@code host:port}, separated by commas
     * @return this
     */
    public CoordinatorContext members(String endpoints) {
        members = Arrays.stream(endpoints.split(",")).map(Endpoint::parse).toList();
        return self();
    }

    /** Addresses of all coordinators. */
    public List<Endpoint> members() {
        return members;
    }

    /** The address at which nodes reach this coordinator. */
    Endpoint address() {
        return members.get(member);
    }

    /**
     * Sets the folder in which this coordinator stores its decisions, for this coordinator and one job alone.
     *
     * @param path folder; created if it does not exist
     * @return this
     */
    public CoordinatorContext folder(Path path) {
        folder = path;
        return self();
    }

    /** The folder in which this coordinator keeps its log. */
    public Path folder() {
        return folder;
    }

    /**
     * The terms of the cluster.
     *
     * @param settings the same at all coordinators
     * @return this
     */
    public CoordinatorContext terms(ClusterSettings settings) {
        terms = settings;
        return self();
    }

    /** The terms of the cluster. */
    public ClusterSettings terms() {
        return terms;
    }

    /**
     * Makes the cluster take snapshots, in the folders that its nodes name.
     *
     * @param interval time between two snapshots: a number of clocks, such as {@code 10}; {@code auto}, which derives
     *     it from their cost for a failure of the cluster in a day; or {@code auto:6h} with another mean time between
     *     failures, in s, m, h or d
     * @param restore whether to continue from the newest clock of which all nodes hold a snapshot, or from the
     *     beginning if no node holds any; otherwise nodes must not hold any
     * @return this
     * @throws IllegalArgumentException if the interval is malformed
     */
    public CoordinatorContext takeSnapshots(String interval, boolean restore) {
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
    public CoordinatorContext takeSnapshots(String interval, long clock) {
        return takeSnapshots(interval, Restoration.at(clock));
    }

    private CoordinatorContext takeSnapshots(String interval, Restoration restoration) {
        snapshots = new SnapshotOrders(SnapshotInterval.parse(interval), restoration);
        return self();
    }

    SnapshotOrders snapshots() {
        return snapshots;
    }

    /**
     * Sets how long the cluster waits under {@code DeathPolicy.WAIT} for a node to be started again.
     *
     * @param ns nanoseconds above 0; ten minutes by default
     * @return this
     */
    public CoordinatorContext waitLimitNs(long ns) {
        waitLimitNs = ns;
        return self();
    }

    long waitLimitNs() {
        return waitLimitNs;
    }

    /**
     * Directory of the media driver by which nodes are reached.
     *
     * @param directory directory; by default that of the host's driver
     * @return this
     */
    public CoordinatorContext aeronDirectory(Path directory) {
        aeronDirectory = directory;
        return self();
    }

    /** Directory of the media driver by which nodes are reached. */
    public Path aeronDirectory() {
        return aeronDirectory;
    }

    /**
     * Receives errors and reports that do not end the coordinator.
     *
     * @param handler handler of errors and sentences
     * @return this
     */
    public CoordinatorContext errorHandler(ErrorHandler handler) {
        errorHandler = handler;
        return self();
    }

    ErrorHandler errorHandler() {
        return errorHandler;
    }

    Transport connect() {
        return Transport.connect(new Transport.Context()
                .directory(aeronDirectory)
                .channels(new Channels())
                .errorHandler(errorHandler));
    }

    /** Checks all settings and reads the secret. */
    void conclude() {
        concludeSecret();
        require(null != terms, "terms", "none", "the terms of the cluster");
        require(null != folder, "folder", "none", "a folder in which this coordinator keeps its decisions");
        int count = members.size();
        require(count % 2 == 1 && count > 1 && count <= MOST, "members", count, "3, 5, 7 or 9 addresses");
        require(members.stream().distinct().count() == count, "members", members, "a different address for each");
        for (Endpoint each : members) {
            int highest = HIGHEST_PORT - PORTS;
            boolean fits = each.port() > 0 && each.port() <= highest;
            require(fits, "port of coordinator " + each, each.port(), "1 to " + highest);
            members.subList(0, members.indexOf(each)).forEach(before -> requireApart(before, each));
            each.resolve(); // the engine would retry an unknown host forever
        }
        require(member >= 0 && member < count, "member", member, "0 to " + (count - 1));
        Settings.inRange(WAIT_PROPERTY, waitLimitNs, 1, Long.MAX_VALUE);
        requireTerms();
        requireSecretBeyondLoopback("coordinator " + member, address().resolve().getAddress());
    }

    private static void requireApart(Endpoint before, Endpoint each) {
        boolean apart = Math.abs(each.port() - before.port()) > PORTS;
        String expected = PORTS + 1 + " or more away from that of " + before
                + ": that coordinator also uses the ports between them";
        require(apart || !each.host().equals(before.host()), "port of coordinator " + each, each.port(), expected);
    }

    private void requireTerms() {
        require(
                !terms.seal() || null != secret(),
                "secret",
                "none",
                "a secret, from which the keys for sealed frames are derived");
        boolean waits = DeathPolicy.WAIT == terms.onDeath();
        require(
                !waits || snapshots.takesSnapshots(),
                "on death",
                "wait",
                "another policy, or snapshots from which a node can continue");
        if (snapshots.takesSnapshots()) {
            terms.requireFitForSnapshots();
        }
    }

    private static void require(boolean valid, String name, Object value, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + " is " + value + ", expected " + expected);
        }
    }
}
