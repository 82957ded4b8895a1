package io.sluice.consistency.server;

import io.sluice.consistency.wire.BytesReceived;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.Link;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.FanOut;
import io.sluice.tree.Hop;
import io.sluice.tree.OutgoingHops;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * What of a server's broadcast goes one way: the root of one tree. Each has a {@link FanOut} of its own, so that a way
 * on which nothing moves holds up no other.
 *
 * <p>Used by one thread.
 */
final class Stripe {
    private final LiveTrees trees;
    private final int tree;
    private final Peering peering;
    private final OutgoingHops hops;
    private final FanOut fanOut;
    private final BytesReceived received = new BytesReceived();

    /** Makes the fan-out of links just opened. */
    interface NewFanOut {
        FanOut of(Link[] links);
    }

    /**
     * Opens the links.
     *
     * @param node      this server
     * @param trees     of all servers
     * @param tree      number of the one of which this is the root
     * @param peering   opens links
     * @param newFanOut makes the fan-out
     */
    Stripe(int node, LiveTrees trees, int tree, Peering peering, NewFanOut newFanOut) {
        this.trees = trees;
        this.tree = tree;
        this.peering = peering;
        this.hops = new OutgoingHops(tree().from(node));
        Link[] opened = peering.broadcastLinks(tree, tree());
        for (int link = 0; link < opened.length; link++) {
            received.add(opened[link], hops.hops().get(link).to().size());
        }
        this.fanOut = newFanOut.of(opened);
    }

    private BroadcastTree tree() {
        return trees.trees().get(tree);
    }

    FanOut fanOut() {
        return fanOut;
    }

    /** By link, whether its receiver passes on what it gets. */
    List<Boolean> toRelays() {
        return hops.hops().stream()
                .map(hop -> !hop.sharedMemory() && tree().relays(hop.to().getFirst()))
                .toList();
    }

    /** Goes over to the tree as it is now, after a repair, or as others take part. */
    void follow() {
        hops.follow(tree().from(tree().root()), trees::keeps, this::open, fanOut::close);
        for (int link = 0; link < hops.hops().size(); link++) {
            received.receivers(link, hops.hops().get(link).to().size());
        }
    }

    /** Sends to a node where it is now. */
    void reopen(int node) {
        hops.reopen(node, this::open, fanOut::close);
    }

    private void open(Hop hop) {
        Link link = peering.broadcastLink(tree, tree(), hop);
        fanOut.add(link);
        received.add(link, hop.to().size());
    }

    /** Gives up links of which all receivers are gone, and tells which. */
    void giveUp(IntPredicate isGone, IntConsumer told) {
        for (int link = 0; link < hops.hops().size(); link++) {
            if (hops.hops().get(link).to().stream().allMatch(isGone::test)) {
                fanOut.close(link);
                told.accept(link);
            }
        }
    }

    /** Bytes sent, counted once for each worker that receives them, also where several read one log. */
    long bytes() {
        return received.bytes();
    }
}
