package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.Placement;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Patience;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;

/**
 * Tells servers of this worker's tables: at the start those that were there before it, and those that come while the
 * job runs as it reaches them, before it sends them anything else (decision 10). From such a worker a server that has
 * come learns what the tables are, so one that has come itself says so only when it takes part, or the server does.
 *
 * <p>For the trainer's thread. Allocates nothing while no server joins.
 */
final class TableDeclarer implements TablePush.RoundStart {
    private static final int NOBODY = -1;

    private final WorkerLinks links;
    private final Membership membership;
    private final TrainerView view;
    private final List<TableSpec> specs;

    /** By server, the epoch in which the one was welcomed that has been told. */
    private final int[] told;

    /** As of which all that could be told have been. */
    private ClusterState followed;

    TableDeclarer(WorkerLinks links, List<TableSpec> specs) {
        this.links = links;
        this.membership = links.membership();
        this.view = links.view();
        this.specs = specs;
        this.told = new int[links.servers()];
        Arrays.fill(told, NOBODY);
    }

    /**
     * Tells those that were there before this worker; one that has come itself tells those of them that have slices,
     * for it may not reach others. A server that is about to go has its slices at the start all the same.
     */
    void begin() {
        for (int server = 0; server < told.length; server++) {
            int incarnation = view.incarnation(server);
            boolean isVacant = Presence.VACANT == view.state().member(server).presence();
            boolean isBefore = !isVacant && incarnation <= membership.plan().epoch();
            boolean isNeeded = !membership.plan().isOfNewcomer() || isOwner(server);
            if (isBefore && isNeeded || !membership.plan().settings().isElastic()) {
                tell(server, incarnation);
            }
        }
    }

    private boolean isOwner(int server) {
        return view.workerSets().owns(server);
    }

    /** Whether this worker reaches all servers that own slices: before that no node should depend on it. */
    boolean reachOwners() {
        return unreachedOwner() < 0;
    }

    /** The first server that owns slices and that this worker does not reach yet, or -1. */
    int unreachedOwner() {
        for (int server = 0; server < told.length; server++) {
            boolean isOwner = isOwner(server);
            if (isOwner && !links.pushes().leadsTo(server, view.incarnation(server))) {
                return server;
            }
        }
        return -1;
    }

    /** From some round on slices may be other servers'. */
    @Override
    public void begin(Table table, long round) {
        view.advance(); // a trainer may compute for long between two tables, and polls nothing meanwhile
        follow();
        Placement now = view.placement(round);
        if (now != table.placement()) {
            table.follow(round, now, server -> {
                require(server);
                links.channel(server).begin(table.spec().id(), round);
            });
        }
    }

    /** Tells those that have come and are reached by now; this worker takes part. */
    private void follow() {
        ClusterState now = view.state();
        if (now == followed) {
            return;
        }
        boolean all = true;
        for (int server = 0; server < told.length; server++) {
            int incarnation = view.incarnation(server);
            boolean isNew = incarnation != told[server] && !now.hasGone(server);
            if (isNew && links.pushes().leadsTo(server, incarnation)) {
                tell(server, incarnation);
            } else {
                all &= !isNew;
            }
        }
        followed = all ? now : null;
    }

    /** Tells one that takes part, if that has not been done; waits until it can be reached. */
    void require(int server) {
        int incarnation = view.incarnation(server);
        if (incarnation == told[server]) {
            return;
        }
        IdleStrategy idle = links.idle();
        Patience patience = membership.patience(links.progressNs());
        while (!links.pushes().leadsTo(server, incarnation)) {
            membership.check();
            long nowNs = links.clock().nanoTime();
            if (patience.isOver(nowNs)) {
                throw membership.fail(
                        Failure.TIMEOUT,
                        "the link to server " + server + ", which has joined, was not opened within "
                                + TimeUnit.NANOSECONDS.toSeconds(patience.waitedNs(nowNs)) + " s");
            }
            if (patience.isTime(nowNs)) {
                patience.tell(
                        "the link to server " + server + " to open: "
                                + links.peering().linkInWords(server),
                        nowNs);
            }
            ClusterException.checkInterrupt("opening a link to server " + server);
            idle.idle(links.invoke());
        }
        tell(server, incarnation);
    }

    private void tell(int server, int incarnation) {
        told[server] = incarnation;
        for (TableSpec spec : specs) {
            PushChannel channel = links.channel(server);
            int slot = channel.claimWritten();
            FrameWriter to = links.writer().to(server);
            int length = to.declaration(channel.buffer(slot), spec, specs.size(), links.plannedTrees());
            channel.publishWritten(slot, length);
        }
    }
}
