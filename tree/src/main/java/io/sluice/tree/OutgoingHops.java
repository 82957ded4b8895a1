package io.sluice.tree;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

/**
 * Assigns the hops of a node to its links while trees are repaired. Links are numbered as they are opened, and a link
 * that is no longer needed keeps its number.
 */
public final class OutgoingHops {
    private final List<Hop> hops;
    private final BitSet gone = new BitSet();

    /** Links that were closed because all their receivers have ended; trees still have their hops. */
    private final BitSet ended = new BitSet();

    /**
     * Begins with the hops as they were planned.
     *
     * @param hops hops in the order of their links
     */
    public OutgoingHops(List<Hop> hops) {
        this.hops = new ArrayList<>(hops);
    }

    /** For each link, the hop that it carries or has carried. */
    public List<Hop> hops() {
        return hops;
    }

    /**
     * Switches to other hops.
     *
     * @param now    hops on which the node sends from now on
     * @param open   opens the link of a new hop, with the next number
     * @param giveUp receives the number of each link that is no longer needed
     */
    public void follow(List<Hop> now, Consumer<Hop> open, IntConsumer giveUp) {
        follow(now, hop -> false, open, giveUp);
    }

    /**
     * Switches to other hops, and keeps some of the former ones.
     *
     * @param now    hops on which the node sends from now on
     * @param keeps  whether to keep a former hop for now; evaluated again with each change
     * @param open   opens the link of a new hop, with the next number
     * @param giveUp receives the number of each link that is no longer needed
     */
    public void follow(List<Hop> now, Predicate<Hop> keeps, Consumer<Hop> open, IntConsumer giveUp) {
        List<Hop> added = new ArrayList<>(now);
        for (int link = 0; link < hops.size(); link++) {
            Hop hop = hops.get(link);
            Hop same = added.stream()
                    .filter(other -> leadsTo(other, hop))
                    .findFirst()
                    .orElse(null);
            boolean carries = null != same && (!ended.get(link) || hop.to().containsAll(same.to()));
            if (carries && !gone.get(link)) {
                added.remove(same);
                hops.set(link, same);
            } else if (!gone.get(link) && !keeps.test(hop)) {
                gone.set(link);
                giveUp.accept(link);
            }
        }
        for (Hop hop : added) {
            open.accept(hop);
            hops.add(hop);
        }
    }

    /** Records that a link was closed because all its receivers have ended: it cannot carry a hop to any other one. */
    public void markEnded(int link) {
        ended.set(link);
    }

    /**
     * Opens a new link for each network hop to a receiver that has moved.
     *
     * @param node   the receiver
     * @param open   opens the link of a hop, with the next number
     * @param close  called with the number of each link without a receiver
     */
    public void reopen(int node, Consumer<Hop> open, IntConsumer close) {
        for (int link = hops.size() - 1; link >= 0; link--) {
            Hop hop = hops.get(link);
            if (!gone.get(link) && !hop.sharedMemory() && hop.to().contains(node)) {
                gone.set(link);
                close.accept(link);
                open.accept(hop);
                hops.add(hop);
            }
        }
    }

    /**
     * Whether the link of one hop can carry another. In shared memory a node has one log for all receivers of its host,
     * regardless of their number. Over the network the same node at another endpoint is another receiver.
     */
    private static boolean leadsTo(Hop other, Hop hop) {
        return other.sharedMemory() == hop.sharedMemory()
                && (hop.sharedMemory()
                        || other.to().equals(hop.to()) && other.endpoint().equals(hop.endpoint()));
    }
}
