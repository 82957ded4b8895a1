package io.sluice.tree;

import io.sluice.messaging.Link;

/** Is told of links that take less than what comes for them, so that everybody else has to wait. */
@FunctionalInterface
public interface SlowLinks {
    /**
     * Called once each time that a link is found to be slow, until it has kept up again.
     *
     * @param link  whose receiver takes frames, but slowly
     * @param taken what it took lately, in bytes per second
     * @param came  what has come to be sent at the best of times, in bytes per second
     */
    void onSlow(Link link, long taken, long came);
}
