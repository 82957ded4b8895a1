package io.sluice.consistency.worker;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.wire.HopLinks;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.SkippedChildren;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.FanOut;
import io.sluice.tree.FrameRing;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.ToLongFunction;

/**
 * The links of a relay to its children, tree by tree.
 *
 * <p>Frames over the network obey the budgets, like the worker's pushes, and their rate is measured. Frames for
 * trainers of this host, in shared memory, have crossed the network already and need no budget.
 *
 * <p>For the relay's thread; any thread may read the byte counts and list the rates.
 */
final class ChildLinks {
    /** Minimum capacity of a ring, in longest frames. */
    private static final int LONGEST_FRAMES = 4;

    private final LiveTrees trees;

    /** For each tree, the children in it; null where this worker has none. */
    private final FrameRing[] rings;

    private final HopLinks[] links;
    private final Uplink uplink;

    /** Rates of the present links over the network, listed anew with each change: judging allocates nothing. */
    private volatile List<DeliveryRate> rates;

    /**
     * Opens the links.
     *
     * @param membership membership of this worker
     * @param peering    opens the links
     * @param trees      trees of all servers
     * @param context    limits how far children may be behind, and for how long
     * @param budget     budget of this worker
     * @throws io.sluice.messaging.api.MessagingException if there is no memory for the rings
     */
    ChildLinks(Membership membership, Peering peering, LiveTrees trees, WorkerContext context, NodeBudget budget) {
        this.trees = trees;
        this.uplink = new Uplink(trees::shouldForwardLess);
        this.rings = new FrameRing[trees.trees().size()];
        this.links = new HopLinks[rings.length];
        SkippedChildren skipped = new SkippedChildren(membership, context.errorHandler());
        NodeBudget unbound = new NodeBudget(Budget.NONE, Budget.NONE, context.clock());
        FanOut.Watching watching =
                (link, backlog) -> peering.watch(link, link.isUdp() ? budget : unbound, context.clock(), backlog);
        int capacity = Math.max(context.relayBytes(), LONGEST_FRAMES * peering.longestFrame());
        int node = membership.node();
        long relayed = trees.trees().stream().filter(tree -> tree.relays(node)).count();
        RingMemory memory = new RingMemory(relayed, capacity);
        for (int tree = 0; tree < rings.length; tree++) {
            if (trees.trees().get(tree).relays(node)) {
                HopLinks children = new HopLinks(node, tree, trees, peering);
                FrameRing ring =
                        memory.allocate(() -> new FrameRing(children.planned(), watching, context.clock(), capacity));
                ring.skipStanding(context.relayPatienceNs(), skipped);
                children.onLinksChanged(ring::add, ring::close);
                links[tree] = children;
                rings[tree] = ring;
            }
        }
        this.rates = presentRates();
    }

    /** The rings by tree; null where this worker has no children. */
    FrameRing[] rings() {
        return rings;
    }

    /**
     * Adopts the children of a cluster state.
     *
     * @param now    the state that the relay's thread has adopted
     * @param cutOff receives the number of each tree in which this relay's parent has changed
     */
    void follow(ClusterState now, IntConsumer cutOff) {
        while (trees.follow(now)) {
            uplink.follow(trees.trees());
            for (int tree = 0; tree < links.length; tree++) {
                if (null != links[tree]) {
                    links[tree].follow();
                    if (trees.isRelayCutOff(tree)) {
                        cutOff.accept(tree);
                    }
                }
            }
            rates = presentRates();
        }
    }

    /** Opens a new link to a worker that has rejoined. */
    void reopen(int node) {
        for (HopLinks each : links) {
            if (null != each) {
                each.reopen(node);
            }
        }
        rates = presentRates();
    }

    /**
     * Closes links to children that have left or are lost. Such a child may have ended before its link was opened, and
     * the trees of an ending job no longer change.
     */
    void closeGone(ClusterState now) {
        for (HopLinks each : links) {
            if (null != each) {
                each.closeIf(node -> isGone(now, node), link -> {});
            }
        }
    }

    private static boolean isGone(ClusterState now, int node) {
        return switch (now.member(node).presence()) {
            case LEFT, WITHDRAWN, LOST -> true;
            case VACANT, NEWCOMER, ACTIVE, LEAVING, RELEASED, AWAITED -> false;
        };
    }

    /** Rates of the present links over the network; links in shared memory have none. */
    List<DeliveryRate> rates() {
        return rates;
    }

    /** Whether to judge the uplink now, by a call of {@link #isSlow}. */
    boolean isTimeToJudge(long nowNs) {
        return uplink.isTime(nowNs);
    }

    /** Whether this relay should request to be demoted, because its uplink is slow. */
    boolean isSlow(long nowNs) {
        return uplink.isSlow(nowNs, rates);
    }

    private List<DeliveryRate> presentRates() {
        return Arrays.stream(rings)
                .filter(Objects::nonNull)
                .flatMap(ring -> ring.watches().stream())
                .map(LinkWatch::rate)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Number of bytes sent, once for each link. */
    long sent() {
        return sum(HopLinks::sent);
    }

    /** Number of bytes in the logs sent to other workers, counted once for each receiver. */
    long bytes() {
        return sum(HopLinks::bytes);
    }

    private long sum(ToLongFunction<HopLinks> bytes) {
        return Arrays.stream(links).filter(Objects::nonNull).mapToLong(bytes).sum();
    }
}
