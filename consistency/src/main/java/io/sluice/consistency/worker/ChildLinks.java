package io.sluice.consistency.worker;

import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.wire.BytesReceived;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.SkippedChildren;
import io.sluice.messaging.Link;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.outbox.Budget;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.FanOut;
import io.sluice.tree.FrameRing;
import io.sluice.tree.Hop;
import io.sluice.tree.OutgoingHops;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;

/**
 * The links of a relay to its children, tree by tree: opened as planned, and opened and closed as trees are repaired,
 * and as workers leave and come back.
 *
 * <p>What goes over the network keeps the budgets, as what the worker pushes does, and is measured. What is handed to
 * trainers of this host in shared memory has come over the network already, and is not theirs to wait for.
 *
 * <p>Used by the relay's thread; the bytes may be asked for by any.
 */
final class ChildLinks {
    /** A ring takes any frame if it has room for two. */
    private static final int LONGEST_FRAMES = 4;

    private static final int UNKNOWN = -1;

    private final Membership membership;
    private final Peering peering;
    private final LiveTrees trees;

    /** By tree, the children in it; null where this worker has none. */
    private final FrameRing[] rings;

    private final OutgoingHops[] hops;

    /** By tree, by other workers than this one. */
    private final BytesReceived[] received;

    private final List<LinkWatch> watches = new ArrayList<>();
    private int leavers;

    /** Up to which all losses are seen. */
    private int epoch;

    /**
     * Opens the links.
     *
     * @param membership this worker's
     * @param peering    opens them
     * @param trees      of all servers
     * @param context    says by how much children may be behind, and for how long
     * @param budget     of this worker
     * @throws io.sluice.messaging.MessagingException if there is no memory for the rings
     */
    ChildLinks(Membership membership, Peering peering, LiveTrees trees, WorkerContext context, NodeBudget budget) {
        this.membership = membership;
        this.epoch = membership.plan().epoch();
        this.peering = peering;
        this.trees = trees;
        this.rings = new FrameRing[trees.trees().size()];
        this.hops = new OutgoingHops[rings.length];
        this.received = new BytesReceived[rings.length];
        Arrays.setAll(received, _ -> new BytesReceived());
        SkippedChildren skipped = new SkippedChildren(membership, context.errorHandler());
        NodeBudget unbound = new NodeBudget(Budget.NONE, Budget.NONE, context.clock());
        FanOut.Watching watching =
                (link, backlog) -> peering.watch(link, link.isUdp() ? budget : unbound, context.clock(), backlog);
        int capacity = Math.max(context.relayBytes(), LONGEST_FRAMES * peering.longestFrame());
        long relayed = trees.trees().stream()
                .filter(tree -> tree.relays(membership.node()))
                .count();
        RingMemory memory = new RingMemory(relayed, capacity);
        for (int i = 0; i < rings.length; i++) {
            BroadcastTree tree = trees.trees().get(i);
            if (tree.relays(membership.node())) {
                Link[] children = peering.broadcastLinks(i, tree);
                hops[i] = new OutgoingHops(tree.from(membership.node()));
                rings[i] = memory.allocate(() -> new FrameRing(children, watching, context.clock(), capacity));
                rings[i].skipStanding(context.relayPatienceNs(), skipped);
                watches.addAll(rings[i].watches());
                for (int link = 0; link < children.length; link++) {
                    note(i, children[link], hops[i].hops().get(link));
                }
            }
        }
    }

    private void note(int tree, Link link, Hop hop) {
        received[tree].add(link, others(hop));
    }

    /** To how many workers but this one a hop leads. */
    private int others(Hop hop) {
        return (int) hop.to().stream().filter(node -> node != membership.node()).count();
    }

    /** By tree; null where this worker has no children. */
    FrameRing[] rings() {
        return rings;
    }

    private void open(int tree, Hop hop) {
        Link link = peering.broadcastLink(tree, trees.trees().get(tree), hop);
        rings[tree].add(link);
        note(tree, link, hop);
        leavers = UNKNOWN; // it may lead to one who has left before, and will never be there
    }

    /**
     * Nobody waits for those who have left, who may never have been there for a link that was opened late, nor for who
     * is lost: once some are done, trees that follow the crew change no more.
     */
    void closeLeavers() {
        if (leavers == membership.leavers() && epoch == membership.epoch()) {
            return;
        }
        leavers = membership.leavers();
        epoch = membership.epoch();
        for (int tree = 0; tree < rings.length; tree++) {
            List<Hop> sent = null == rings[tree] ? List.of() : hops[tree].hops();
            for (int link = 0; link < sent.size(); link++) {
                if (sent.get(link).to().stream().allMatch(this::isGone)) {
                    rings[tree].close(link);
                }
            }
        }
    }

    private boolean isGone(int node) {
        int worker = membership.plan().workerIndex(node);
        return membership.clockAtLeaving(worker) < Long.MAX_VALUE || membership.isLost(worker);
    }

    /** Whether workers were lost since {@link #follow}, or others take part: a cheap question. */
    boolean isBehind() {
        return trees.isBehind();
    }

    /**
     * Sends to the children of workers that were lost, as far as they are its own now, or goes on by one change of the
     * crew. To be called until it is not behind.
     *
     * @param adopted given the number of each tree in which somebody else sends to this relay from now on
     */
    void follow(IntConsumer adopted) {
        List<BroadcastTree> before = trees.follow();
        int node = membership.node();
        for (int i = 0; i < rings.length; i++) {
            if (null != rings[i]) {
                int tree = i;
                BroadcastTree now = trees.trees().get(i);
                hops[i].follow(now.from(node), trees::keeps, hop -> open(tree, hop), rings[i]::close);
                for (int link = 0; link < hops[i].hops().size(); link++) {
                    received[i].receivers(link, others(hops[i].hops().get(link)));
                }
                if (trees.isCutOff(before.get(i).parent(node), now.parent(node))) {
                    adopted.accept(i);
                }
            }
        }
    }

    /** To a worker that is back leads another link. */
    void reopen(int node) {
        for (int i = 0; i < rings.length; i++) {
            if (null != rings[i]) {
                int tree = i;
                hops[i].reopen(node, hop -> open(tree, hop), rings[i]::close);
            }
        }
    }

    /** Rates of the links over the network: what is handed over in shared memory has none. */
    List<DeliveryRate> rates() {
        return watches.stream().map(LinkWatch::rate).filter(Objects::nonNull).toList();
    }

    /** Bytes sent, once for each link. */
    long sent() {
        return Arrays.stream(received).mapToLong(BytesReceived::sent).sum();
    }

    /** Bytes sent to other workers, as they lie in the logs, once for each that receives them. */
    long bytes() {
        return Arrays.stream(received).mapToLong(BytesReceived::bytes).sum();
    }
}
