package io.sluice.consistency.worker;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.Patience;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * The way of others' updates into a worker's replicas: polls until a table has the version it needs. Under push-pull it
 * asks for that version first.
 */
final class TableSync {
    /** Frames applied before the version is looked at again. */
    private static final int POLL_LIMIT = 64;

    private final WorkerLinks links;
    private final Membership membership;
    private final WorkerStats stats;
    private final NanoClock clock;
    private final IdleStrategy idle;
    private final Patience patience;
    private final FrameWriter writer;
    private final boolean pulled;
    private final int backups;
    private final BroadcastIntake intake;

    TableSync(WorkerLinks links, List<Table> tables, Kernels kernels, WorkerStats stats) {
        this.links = links;
        this.membership = links.membership();
        this.stats = stats;
        this.clock = links.clock();
        this.idle = links.idle();
        this.patience = membership.patience(links.progressNs());
        this.writer = links.writer();
        ClusterPlan plan = membership.plan();
        this.pulled = Protocol.PUSH_PULL == plan.settings().protocol();
        this.backups = plan.settings().rule().backups();
        DataFrameDecoder decoder = new DataFrameDecoder(
                plan.settings().sliceElements(), plan.settings().newAcceptedCompressors());
        this.intake = new BroadcastIntake(
                membership, decoder, new BlockAccumulator(kernels), tables, links::reject, stats::onDecoded);
    }

    BroadcastIntake intake() {
        return intake;
    }

    /** Waits until a table has a version, then applies whatever more has come in already. */
    void await(Table table, long version) {
        long startNs = clock.nanoTime();
        if (pulled) {
            pull(table, version);
        }
        idle.reset();
        links.listen();
        patience.begin(startNs);
        while (!isThere(table, version)) {
            int work = links.poll(POLL_LIMIT) + links.invoke() + links.repair();
            if (0 == work) {
                membership.check();
                checkReachable(table, version);
                look(table, version, clock.nanoTime());
                ClusterException.checkInterrupt("waiting for parameters");
            }
            idle.idle(work);
        }
        if (!pulled) {
            drainInbox();
            links.repair();
        }
        stats.onWait(clock.nanoTime() - startNs);
    }

    /** Bounded, so that a flood of fresh versions cannot hold the trainer up. */
    private void drainInbox() {
        int work = links.poll(POLL_LIMIT);
        for (int i = 0; work > 0 && i < POLL_LIMIT; i++) {
            work = links.poll(POLL_LIMIT);
        }
        membership.check();
    }

    private boolean isThere(Table table, long version) {
        return pulled ? table.intake().isAnsweredByAll() : table.version() >= version;
    }

    private void pull(Table table, long version) {
        int id = table.spec().id();
        for (int server = 0; server < links.servers(); server++) {
            if (table.intake().owns(server)) {
                table.intake().askAgain(server);
                PushChannel channel = links.channel(server);
                int slot = channel.claimWritten();
                channel.publishWritten(slot, writer.to(server).pull(channel.buffer(slot), id, version));
            }
        }
    }

    private void look(Table table, long version, long nowNs) {
        if (membership.attendance().isAwaiting()) {
            patience.extend(nowNs);
        }
        if (patience.isOver(nowNs)) {
            int slowest = table.intake().slowest();
            throw membership.fail(
                    Failure.TIMEOUT,
                    "version " + version + " of table " + table.spec().name() + " did not come within "
                            + TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs))
                            + " s although all nodes are alive; server "
                            + slowest + " is at version " + table.version());
        }
        if (patience.isTime(nowNs)) {
            String missing = table.intake().missing(table, version, pulled, links::delivery);
            patience.tell("version " + version + " of table " + table.spec().name() + ": " + missing, nowNs);
        }
    }

    /** A version that needs a push of a worker that has left will never come. */
    private void checkReachable(Table table, long version) {
        ClusterPlan plan = membership.plan();
        int spared = version > 0 ? backups : 0;
        for (int worker = 0; worker < plan.settings().workerPlaces(); worker++) {
            long last = membership.clockAtLeaving(worker);
            if (last < version && membership.crews().history().has(worker, version) && spared-- == 0) {
                String when = last < 0 ? "before the start" : "at clock " + last;
                throw membership.fail(
                        Failure.PEER_LEFT,
                        "worker " + worker + " has left " + when + ", so version " + version + " of table "
                                + table.spec().name() + " cannot be reached");
            }
        }
    }
}
