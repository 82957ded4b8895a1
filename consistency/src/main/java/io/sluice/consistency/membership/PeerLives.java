package io.sluice.consistency.membership;

import io.sluice.consistency.terms.DeathPolicy;
import java.util.function.IntConsumer;

/**
 * Tells what a peer has sent since it joined last from what it sent before, or will be known to have sent when its
 * coming back is known here. Whoever receives follows at a moment of its own, when what it expects of the peer can
 * change.
 *
 * <p>For one thread. Allocates nothing but when it follows.
 */
public final class PeerLives {
    private final Membership membership;
    private final Attendance attendance;
    private final int[] epochs;
    private int followed;

    /**
     * Begins with the nodes as the plan has them.
     *
     * @param membership of this node
     */
    public PeerLives(Membership membership) {
        this.membership = membership;
        this.attendance = membership.attendance();
        this.followed = membership.plan().epoch();
        this.epochs = new int[attendance.nodes()];
        for (int node = 0; node < epochs.length; node++) {
            epochs[node] = attendance.firstEpoch(node);
        }
    }

    /**
     * Whether something has changed since {@link #follow}: a cheap question.
     *
     * @return true at times, under {@link DeathPolicy#WAIT} and where workers come and go
     */
    public boolean isBehind() {
        return attendance.moves() && followed != membership.epoch();
    }

    /**
     * Takes note of all that have come back.
     *
     * @param back is given the id of each
     */
    public void follow(IntConsumer back) {
        followed = membership.epoch();
        for (int node = 0; node < epochs.length; node++) {
            int epoch = attendance.life(node);
            if (epoch != epochs[node]) {
                epochs[node] = epoch;
                back.accept(node);
            }
        }
    }

    /**
     * Whether a frame was sent before its sender joined last.
     *
     * @param node  id of the sender, below the number of nodes
     * @param epoch of the frame
     */
    public boolean isPast(int node, int epoch) {
        return attendance.moves() && epoch < epochs[node];
    }

    /**
     * Whether a frame was sent by one whose coming back is yet to be followed here.
     *
     * @param node  id of the sender, below the number of nodes
     * @param epoch of the frame
     */
    public boolean isToCome(int node, int epoch) {
        return attendance.moves() && epoch > epochs[node];
    }
}
