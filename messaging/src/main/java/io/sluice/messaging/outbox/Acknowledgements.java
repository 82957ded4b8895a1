package io.sluice.messaging.outbox;

/** Progress of the receiver of a link. */
public interface Acknowledgements {
    /**
     * Position of the stream up to which the receiver has reported to have consumed it. Never decreases.
     *
     * @return to be compared with {@link io.sluice.messaging.Link#position}
     */
    long acknowledged();

    /**
     * Most bytes that the receiver may have consumed and not yet reported.
     *
     * @return 0 or more
     */
    default long unreported() {
        return 0;
    }
}
