package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Presence;
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
 * Declares this worker's tables to servers: at the start to those that joined before it, and later to each new server
 * once it is reached, before any other frame (decision 7). A new server learns the tables from workers that take part;
 * a newcomer declares its tables to a new server only when one of the two takes part.
 *
 * <p>For the trainer's thread. Allocates nothing while no server joins.
 */
final class TableDeclarer implements TablePush.PushPreparation {
    private static final int NO_SERVER = -1;

    private final WorkerLinks links;
    private final Membership membership;
    private final TrainerView view;
    private final List<TableSpec> specs;
    private final FactorTables factors;

    /** For each server, the epoch of the incarnation to which the tables were declared. */
    private final int[] told;

    /** The last state whose reachable servers all have the declarations. */
    private ClusterState followed;

    TableDeclarer(WorkerLinks links, List<TableSpec> specs, FactorTables factors) {
        this.links = links;
        this.membership = links.membership();
        this.view = links.view();
        this.specs = specs;
        this.factors = factors;
        this.told = new int[links.servers()];
        Arrays.fill(told, NO_SERVER);
    }

    /**
     * Declares the tables to the servers that joined before this worker. A newcomer declares them only to owners of
     * slices, since it may not reach others. A server that is leaving still owns its slices at the start.
     */
    void begin() {
        for (int server = 0; server < told.length; server++) {
            int incarnation = view.incarnation(server);
            boolean isVacant = Presence.VACANT == view.state().member(server).presence();
            boolean isBefore = !isVacant && incarnation <= membership.plan().epoch();
            boolean isNeeded = !membership.plan().isOfNewcomer() || isOwner(server);
            if (isBefore && isNeeded || !membership.plan().settings().isElastic()) {
                declareTo(server, incarnation);
            }
        }
    }

    private boolean isOwner(int server) {
        return view.workerSets().owns(server);
    }

    /** Whether this worker reaches all owners of slices; until then no node should depend on this worker. */
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

    /** Declares the tables to owners of slices that are new in a round. */
    @Override
    public void begin(Table table, long round) {
        view.advance(); // a trainer may compute for a long time between two tables without polling
        follow();
        Placement now = view.placement(round);
        if (now != table.placement()) {
            table.follow(round, now, server -> {
                require(server);
                links.channel(server).begin(table.spec().id(), round);
            });
        }
    }

    /** Declares the tables to new servers that this worker, which takes part, now reaches. */
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
                declareTo(server, incarnation);
            } else {
                all &= !isNew;
            }
        }
        followed = all ? now : null;
    }

    /** Declares the tables to a server that takes part, unless done before; waits until the server is reached. */
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
                patience.report(
                        "the link to server " + server + " to open: "
                                + links.peering().linkInWords(server),
                        nowNs);
            }
            ClusterException.checkInterrupt("opening a link to server " + server);
            idle.idle(links.invoke());
        }
        declareTo(server, incarnation);
    }

    private void declareTo(int server, int incarnation) {
        told[server] = incarnation;
        for (TableSpec spec : specs) {
            PushChannel channel = links.channel(server);
            int slot = channel.claimWritten();
            FrameWriter to = links.writer().to(server);
            int length = to.declaration(
                    channel.buffer(slot), spec, specs.size(), links.plannedTrees(), factors.digest(spec));
            channel.publishWritten(slot, length);
        }
    }
}
