package io.sluice.messaging.outbox;

/** Progress of the receiver of a link. */
public interface Acknowledgements {
    /**
     * Position of the stream up to which the receiver has consumed it, as far as it has said so. Never falls.
     *
     * @return to be compared with {@link io.sluice.messaging.Link#position}
     */
    long acknowledged();

    /**
     * Bytes that the receiver may have consumed without having said so.
     *
     * @return 0 or more
     */
    default long unreported() {
        return 0;
    }
}
