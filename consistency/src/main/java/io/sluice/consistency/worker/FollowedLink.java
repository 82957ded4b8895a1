package io.sluice.consistency.worker;

import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A link to a node that may die and come back elsewhere, and the life of that node for which it was opened.
 *
 * <p>The life is looked up before the link is opened: of a node that comes back in between, the link may lead to where
 * it was or to where it is, and in both cases counts as left behind, so that there will be another. The other way round
 * a link to where it was would count as one to where it is, and all that is sent on it would be lost without a word.
 *
 * <p>For one thread; allocates nothing but when it opens.
 *
 * @param <L> what is opened
 */
final class FollowedLink<L> {
    private final IntSupplier incarnation;
    private final Supplier<L> opener;
    private int opened;
    private L link;

    /**
     * Opens the link, if a node is there.
     *
     * @param incarnation   in which the node is now: another each time that it has rejoined
     * @param opener of a link to where the node is now; gives null where there is none
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

    /** The life of the node for which the link was opened. */
    int incarnation() {
        return opened;
    }

    /** The link that was opened last; null if no node was there. */
    L link() {
        return link;
    }

    /** Whether the node has come back since, so that the link may lead to where it was. */
    boolean isLeftBehind() {
        return incarnation.getAsInt() != opened;
    }

    /** Opens another in its place; to close the one before is the caller's business. */
    L reopen() {
        open();
        return link;
    }
}
