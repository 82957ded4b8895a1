package io.sluice.consistency.worker;

import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A link to a node that may die and rejoin at another address, and the incarnation for which it was opened.
 *
 * <p>The incarnation is read before the link is opened. If the node rejoins in between, the link may lead to the old or
 * to the new address; in both cases it counts as outdated and is reopened. In the other order, a link to the old
 * address would count as current, and frames on it would be lost silently.
 *
 * <p>For one thread; allocates only when it opens a link.
 *
 * @param <L> type of the link
 */
final class FollowedLink<L> {
    private final IntSupplier incarnation;
    private final Supplier<L> opener;
    private int opened;
    private L link;

    /**
     * Opens the link, if the place has a node.
     *
     * @param incarnation the node's current incarnation, which changes with each rejoin
     * @param opener      opens a link to the node's current address; returns null if there is no node
     */
    FollowedLink(IntSupplier incarnation, Supplier<L> opener) {
        this.incarnation = incarnation;
        this.opener = opener;
        open();
    }

    private void open() {
        opened = incarnation.getAsInt();
        link = opener.get();
    }

    /** The incarnation of the node for which the link was opened. */
    int incarnation() {
        return opened;
    }

    /** The link that was opened last; null if there was no node. */
    L link() {
        return link;
    }

    /** Whether the node has rejoined since, so the link may lead to its old address. */
    boolean isLeftBehind() {
        return incarnation.getAsInt() != opened;
    }

    /** Opens a new link in place of the old one, which the caller closes. */
    L reopen() {
        open();
        return link;
    }
}
