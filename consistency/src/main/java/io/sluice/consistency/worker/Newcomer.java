package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.WorkerSet;
import io.sluice.consistency.wire.Inboxes;
import io.sluice.consistency.wire.StateReceiver;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.LinkClosedException;
import io.sluice.messaging.Patience;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.IdleStrategy;

/**
 * Brings a worker that joins a running job to its first clock (decision 7). The worker requests to take part, receives
 * its first clock, and fetches the parameters of the preceding version, which servers hold until the worker has pushed.
 * For the trainer's thread.
 */
final class Newcomer implements StateReceiver.Destination {
    private static final int POLL_LIMIT = 64;

    private final WorkerLinks links;
    private final Membership membership;
    private final TrainerView view;
    private final List<Table> tables;
    private final IntakeGates.OwnVersions versions;
    private final TableDeclarer tableDeclarer;
    private final StateReceiver parameters;
    private final int worker;

    /** For each server, the tables whose parameters this worker has not received yet. */
    private final BitSet[] missing;

    private Inboxes handed;
    private long version;

    /**
     * Prepares the join.
     *
     * @param links open links of the worker
     * @param tables all tables
     * @param kernels kernels to run
     * @param versions gate of broadcasts, which accepts no version yet
     * @param tableDeclarer declarer that has declared the tables to the earlier servers
     */
    Newcomer(
            WorkerLinks links,
            List<Table> tables,
            Kernels kernels,
            IntakeGates.OwnVersions versions,
            TableDeclarer tableDeclarer) {
        this.tableDeclarer = tableDeclarer;
        this.links = links;
        this.membership = links.membership();
        this.view = links.view();
        this.tables = tables;
        this.versions = versions;
        ClusterPlan plan = membership.plan();
        this.worker = plan.workerIndex(membership.node());
        List<TableSpec> specs = tables.stream().map(Table::spec).toList();
        this.parameters =
                new StateReceiver(membership, specs, _ -> 1, kernels, this, rejection -> handed.reject(rejection));
        this.missing = new BitSet[plan.settings().serverPlaces()];
        Arrays.setAll(missing, server -> new BitSet());
    }

    /** Reaches the first clock; returns the previous clock. If the join fails, no other node waits for this worker. */
    long join() {
        try {
            return begin();
        } catch (LinkClosedException e) {
            throw e; // the caller reports the end of the media driver
        } catch (RuntimeException e) {
            membership.fail(Failure.REFUSED, "did not reach its first clock: " + e.getMessage());
            throw e;
        }
    }

    private long begin() {
        handed = links.peering().receiveFrom(membership.plan().servers(), parameters);
        try {
            await(this::unreached, () -> "its links to servers to open", this::mayAsk);
            membership.workerSetChanges().ask(true);
            await(
                    () -> "the coordinator did not announce the first clock of worker " + worker,
                    () -> "the coordinator to announce the first clock of this worker",
                    this::isAgreed);
            version = firstClock() - 1;
            links.continueFrom(version);
            tables.forEach(table -> {
                table.follow(
                        version + 1,
                        view.placement(version + 1),
                        server -> {}); // pushes to all servers start with that round
                table.continueFrom(version);
            });
            versions.beginBehind(version);
            tables.forEach(this::pull);
            await(
                    () -> "the parameters of clock " + version + " did not arrive from " + late(),
                    () -> "the parameters of clock " + version + " from " + late() + " at " + membership.endpoint(),
                    this::isThere);
            return version;
        } finally {
            handed.close();
        }
    }

    private String unreached() {
        int server = tableDeclarer.unreachedOwner();
        return "worker " + worker
                + (server < 0
                        ? " opened its links to the owners of slices too late"
                        : " did not reach server " + server);
    }

    /**
     * Whether this worker may request to take part: once it reaches all owners of slices, or another worker has left,
     * which the answer then states.
     */
    private boolean mayAsk() {
        return tableDeclarer.reachOwners()
                || view.workerSets().all().getLast().workers().stream()
                        .anyMatch(other -> view.state().clockAtLeaving(other) < Long.MAX_VALUE);
    }

    private boolean isAgreed() {
        return view.workerSets().all().getLast().rank(worker) >= 0;
    }

    private long firstClock() {
        WorkerSetHistory history = view.workerSets();
        long first = history.all().getLast().since();
        for (WorkerSet workerSet : history.all().reversed()) {
            if (workerSet.rank(worker) < 0) {
                return first;
            }
            first = workerSet.since();
        }
        return first;
    }

    /** Whether all parameters have arrived. Fails if another worker completed before this worker's first clock. */
    private boolean isThere() {
        for (int other : view.workerSets().at(version).workers()) {
            long last = view.state().clockAtLeaving(other);
            if (last < version) {
                throw new ClusterException(
                        Failure.PEER_LEFT,
                        "worker " + worker + " joined too late: its first clock was to be " + (version + 1)
                                + ", and worker " + other + " had completed at clock "
                                + last);
            }
        }
        return Arrays.stream(missing).allMatch(BitSet::isEmpty);
    }

    private String late() {
        return IntStream.range(0, missing.length)
                .filter(server -> !missing[server].isEmpty())
                .mapToObj(server -> "server " + server)
                .collect(Collectors.joining(", "));
    }

    @Override
    public StateReceiver.Admission admit(int server, TableSpec spec, int slice, long ofVersion) {
        boolean awaited = missing[server].get(spec.id())
                && ofVersion == version
                && tables.get(spec.id()).isOwner(server, slice);
        return awaited ? StateReceiver.Admission.TAKE : StateReceiver.Admission.DROP;
    }

    @Override
    public MemorySegment store(TableSpec spec, int index) {
        return tables.get(spec.id()).replica();
    }

    @Override
    public long offset(TableSpec spec, int slice) {
        return spec.sliceStart(slice) * Float.BYTES;
    }

    @Override
    public void onSlice(TableSpec spec, int slice) {
        // The round commit after all of them counts.
    }

    @Override
    public void onLoad(int server, TableSpec spec) {
        missing[server].clear(spec.id());
    }

    private void pull(Table table) {
        int id = table.spec().id();
        for (int server = 0; server < links.servers(); server++) {
            if (table.intake().owns(server)) {
                missing[server].set(id);
                tableDeclarer.require(server);
                PushChannel channel = links.channel(server);
                int slot = channel.claimWritten();
                channel.publishWritten(slot, links.writer().to(server).pull(channel.buffer(slot), id, version));
            }
        }
    }

    /** Reads broadcasts while it waits, because unread frames would block other nodes. */
    private void await(Supplier<String> late, Supplier<String> awaited, BooleanSupplier done) {
        IdleStrategy idle = links.idleOnBell();
        Patience patience = membership.patience(links.progressNs());
        while (!done.getAsBoolean()) {
            int work = links.poll(POLL_LIMIT) + handed.poll(POLL_LIMIT) + links.invoke();
            membership.check();
            long nowNs = links.clock().nanoTime();
            if (patience.isOver(nowNs) && !done.getAsBoolean()) {
                long waitedS = TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs));
                throw membership.fail(Failure.TIMEOUT, late.get() + " within " + waitedS + " s");
            }
            if (patience.isTime(nowNs)) {
                patience.report(awaited.get(), nowNs);
            }
            ClusterException.checkInterrupt("joining a job that runs");
            idle.idle(work);
        }
    }
}
