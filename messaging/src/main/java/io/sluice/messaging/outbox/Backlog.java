package io.sluice.messaging.outbox;

/** The frames that wait above a link's log, for its sending thread. */
public interface Backlog {
    /** Frames that wait. Asked often, so it has to be cheap. */
    int frames();

    /** Bytes of these, about: before compression. */
    long bytes();

    /**
     * Since when the oldest of them waits.
     *
     * @return time by the clock by which the link is watched; {@link Long#MAX_VALUE} if none waits
     */
    long oldestNs();
}
