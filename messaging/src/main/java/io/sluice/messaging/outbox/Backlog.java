package io.sluice.messaging.outbox;

/** The frames that wait above a link's log, for its sending thread. */
public interface Backlog {
    /** Number of frames that wait. Called often, so it must be cheap. */
    int frames();

    /** Approximate bytes of these frames, before compression. */
    long bytes();

    /**
     * Since when the oldest of these frames has been waiting.
     *
     * @return time by the clock by which the link is watched; {@link Long#MAX_VALUE} if no frame waits
     */
    long oldestNs();
}
