package io.sluice.consistency.wire;

import io.sluice.messaging.MessagingException;

/**
 * Not a failure, but news for whoever looks after the job: a receiver of broadcasts takes so little that it holds up
 * its relay, and by that all who get theirs from it. Told to the error handler of the relay's node, once each time.
 */
public final class SlowChildException extends MessagingException {
    private static final long serialVersionUID = 1L;
    private static final double MIB = 1 << 20;

    private final String link;
    private final long taken;
    private final long came;
    private final boolean letGo;

    /**
     * Tells of a link.
     *
     * @param link  its label, which names sender and receiver
     * @param taken what it took lately, in bytes per second
     * @param came  what has come for it at the best of times, in bytes per second
     * @param letGo whether the sender goes on without it
     */
    SlowChildException(String link, long taken, long came, boolean letGo) {
        super(("the receiver of link %s takes %.1f MiB/s where %.1f MiB/s came before, and holds up all the others: "
                        + (letGo
                                ? "they go on without it, and it has to ask for what it misses until it keeps up"
                                : "they wait for it, for versions are not bound to its pushes"))
                .formatted(link, taken / MIB, came / MIB));
        this.link = link;
        this.taken = taken;
        this.came = came;
        this.letGo = letGo;
    }

    /** Label of the link, which names sender and receiver. */
    public String link() {
        return link;
    }

    /** What the link took lately, in bytes per second. */
    public long taken() {
        return taken;
    }

    /** What has come for it at the best of times, in bytes per second. */
    public long came() {
        return came;
    }

    /** Whether the sender goes on without it. */
    public boolean isLetGo() {
        return letGo;
    }
}
