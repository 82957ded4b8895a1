package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterSettings;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.Tally;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.FanOut;
import io.sluice.tree.Hop;
import io.sluice.tree.OutgoingHops;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.agrona.concurrent.NanoClock;

/**
 * A server's part in the broadcasts: the root of its tree, and the one who keeps what some worker may lack. When a
 * worker is lost, the tree is repaired: links to the dead one's children may be added.
 *
 * <p>Used by one thread.
 */
final class Broadcasting {
    private final Membership membership;
    private final Peering peering;
    private final LiveTrees trees;
    private final OutgoingHops hops;
    private final FanOut fanOut;
    private final List<Link> links;

    /** By link, how many workers it reached when it was opened. */
    private final List<Integer> receivers;

    /** Null where nothing can be repaired. */
    private final Resends resends;

    /**
     * Opens the links.
     *
     * @param membership  of this server
     * @param peering     opens them
     * @param specs       all tables
     * @param frames      most frames that may be on their way at a time
     * @param budget      of this server
     * @param clock       by which that leaks
     * @param retainBytes that may be kept to be sent again
     * @param releases    says what all workers have
     */
    Broadcasting(
            Membership membership,
            Peering peering,
            List<TableSpec> specs,
            int frames,
            NodeBudget budget,
            NanoClock clock,
            int retainBytes,
            BroadcastLog.Releases releases) {
        this.membership = membership;
        this.peering = peering;
        this.trees = new LiveTrees(membership, peering, specs);
        this.hops = new OutgoingHops(tree().from(membership.node()));
        this.links = new ArrayList<>(List.of(peering.broadcastLinks(tree())));
        this.receivers =
                new ArrayList<>(hops.hops().stream().map(hop -> hop.to().size()).toList());
        ClusterSettings settings = membership.plan().settings();
        this.fanOut = new FanOut(
                links.toArray(Link[]::new),
                (link, backlog) -> peering.watch(link, budget, clock, backlog),
                settings.newSliceOrder().bits() > 0,
                frames,
                specs.size(),
                peering.longestFrame());
        if (!trees.repairs()) {
            this.resends = null;
            return;
        }
        long version = membership.plan().start().clock();
        BroadcastLog log = new BroadcastLog(retainBytes, peering.longestFrame(), specs.size(), version, releases);
        fanOut.record(log);
        FrameWriter writer = new FrameWriter(
                membership.plan(), membership.node(), null, membership.sealing().newSeal());
        Tally resent = membership.counters().tally(CounterType.NODE_FRAMES_RESENT);
        this.resends = new Resends(log, peering, budget, clock, writer, settings.workers(), specs.size(), resent);
    }

    private BroadcastTree tree() {
        return trees.trees().get(membership.node());
    }

    FanOut fanOut() {
        return fanOut;
    }

    /** By link, whether its receiver passes on what it gets. */
    boolean[] toRelays() {
        boolean[] toRelays = new boolean[links.size()];
        for (int link = 0; link < toRelays.length; link++) {
            Hop hop = hops.hops().get(link);
            toRelays[link] = !hop.sharedMemory() && tree().relays(hop.to().getFirst());
        }
        return toRelays;
    }

    /** Sends a worker again what it misses; false if nothing is kept for that. */
    boolean resend(int worker, boolean relay, int table, long version, int sequence) {
        if (null != resends) {
            resends.ask(worker, relay, table, version, sequence);
        }
        return null != resends;
    }

    /** Sends again what has been asked for; returns the number of frames. */
    int work(long nowNs) {
        return null == resends ? 0 : resends.work(nowNs);
    }

    long framesResent() {
        return null == resends ? 0 : resends.frames();
    }

    /** Repairs the tree for the workers that were lost since. */
    void follow() {
        if (trees.isBehind()) {
            trees.follow();
            hops.follow(tree().from(membership.node()), this::open, fanOut::giveUp);
        }
    }

    private void open(Hop hop) {
        Link link = peering.broadcastLink(tree(), hop);
        fanOut.add(link);
        links.add(link);
        receivers.add(hop.to().size());
    }

    /** Sends nothing more again to a worker that is lost. */
    void forget(int worker) {
        if (null != resends) {
            resends.forget(worker);
        }
    }

    /** Gives up links of which all receivers are gone. */
    void giveUp(IntPredicate isGone, IntConsumer told) {
        for (int link = 0; link < links.size(); link++) {
            if (hops.hops().get(link).to().stream().allMatch(isGone::test)) {
                fanOut.giveUp(link);
                told.accept(link);
            }
        }
    }

    /** Bytes sent, counted once for each worker that receives them, also where several read one log. */
    long bytes() {
        long bytes = 0;
        for (int link = 0; link < links.size(); link++) {
            bytes += links.get(link).bytes() * receivers.get(link);
        }
        return bytes;
    }
}
