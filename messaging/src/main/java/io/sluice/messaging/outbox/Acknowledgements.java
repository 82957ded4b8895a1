package io.sluice.messaging.outbox;

/** How far the receiving side of a link has come. */
public interface Acknowledgements {
    /**
     * Position of the stream up to which the receiver has consumed it, as far as it has said so. Never falls.
     *
     * @return to be compared with {@link io.sluice.messaging.Link#position}
     */
    long acknowledged();
}
