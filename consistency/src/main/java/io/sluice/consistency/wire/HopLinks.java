package io.sluice.consistency.wire;

import io.sluice.messaging.Link;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.Hop;
import io.sluice.tree.OutgoingHops;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/**
 * The links of a node in one tree. They are opened as planned, and opened and closed as the tree changes and as nodes
 * leave and rejoin. Bytes count once for each receiving node: several workers of a host read one log, and their number
 * may drop.
 *
 * <p>Used by one thread; any thread may read the bytes.
 */
public final class HopLinks {
    private final int node;
    private final int tree;
    private final LiveTrees trees;
    private final Peering peering;
    private final OutgoingHops hops;
    private final Link[] planned;
    private final List<Counted> counted = new CopyOnWriteArrayList<>();
    private Consumer<Link> adding;
    private IntConsumer closing;

    /**
     * A link.
     *
     * @param link      link whose log accepts the bytes
     * @param receivers receivers that it has now
     * @param before    bytes to add to receivers times sent bytes, because the link had more receivers
     */
    private record Counted(Link link, int receivers, long before) {
        Counted with(int now) {
            return new Counted(link, now, before + link.bytes() * (receivers - now));
        }

        long bytes() {
            return before + link.bytes() * receivers;
        }
    }

    /**
     * Opens the links.
     *
     * @param node    node that sends
     * @param tree    number of the tree
     * @param trees   trees of all servers
     * @param peering peering of the node
     */
    public HopLinks(int node, int tree, LiveTrees trees, Peering peering) {
        this.node = node;
        this.tree = tree;
        this.trees = trees;
        this.peering = peering;
        this.hops = new OutgoingHops(tree().from(node));
        this.planned = peering.broadcastLinks(tree, tree());
        for (int link = 0; link < planned.length; link++) {
            counted.add(new Counted(planned[link], receivers(hops.hops().get(link)), 0));
        }
    }

    private BroadcastTree tree() {
        return trees.trees().get(tree);
    }

    private int receivers(Hop hop) {
        return (int) hop.to().stream().filter(to -> to != node).count();
    }

    /** The links that were opened first. */
    public Link[] planned() {
        return planned.clone();
    }

    /** For each link, the hop that it carries or has carried. */
    public List<Hop> hops() {
        return hops.hops();
    }

    /**
     * Sets the callbacks that report to the sender which links are opened and which are no longer needed.
     *
     * @param add receives each link that is opened
     * @param close receives the number of each link that is no longer needed; it may already be closed
     */
    public void onLinksChanged(Consumer<Link> add, IntConsumer close) {
        adding = add;
        closing = close;
    }

    /** Updates the links to the present state of the tree. */
    public void follow() {
        hops.follow(tree().from(node), trees::keeps, this::open, closing);
        for (int link = 0; link < counted.size(); link++) {
            Counted each = counted.get(link);
            int now = receivers(hops.hops().get(link));
            if (each.receivers() != now) {
                counted.set(link, each.with(now));
            }
        }
    }

    /** Opens a new link to a node at its present address. */
    public void reopen(int to) {
        hops.reopen(to, this::open, closing);
    }

    private void open(Hop hop) {
        Link link = peering.broadcastLink(tree, tree(), hop);
        adding.accept(link);
        counted.add(new Counted(link, receivers(hop), 0));
    }

    /**
     * Closes links whose receivers have all left.
     *
     * @param isGone   whether a node has left
     * @param listener receives the number of each such link on every call
     */
    public void closeIf(IntPredicate isGone, IntConsumer listener) {
        for (int link = 0; link < hops.hops().size(); link++) {
            if (hops.hops().get(link).to().stream().allMatch(isGone::test)) {
                hops.markEnded(link);
                closing.accept(link);
                listener.accept(link);
            }
        }
    }

    /** Number of bytes in the logs, counted once for each receiver. */
    public long bytes() {
        return counted.stream().mapToLong(Counted::bytes).sum();
    }

    /** Number of bytes written to the logs, counted once for each link. */
    public long sent() {
        return counted.stream().mapToLong(each -> each.link().bytes()).sum();
    }
}
