package io.sluice.messaging.outbox;

/** The progress of a link's receiver. */
public interface Acknowledgements {
    /**
     * Position up to which the receiver has reported that it consumed the stream. Never decreases.
     *
     * @return a position to compare with {@link io.sluice.messaging.Link#position}
     */
    long acknowledged();

    /**
     * Maximum number of bytes that the receiver may have consumed and not yet reported.
     *
     * @return 0 or more
     */
    default long unreported() {
        return 0;
    }
}
