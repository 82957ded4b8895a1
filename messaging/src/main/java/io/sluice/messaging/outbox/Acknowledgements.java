package io.sluice.messaging.outbox;

/** How far the receiving side of a link has come. */
public interface Acknowledgements {
    /**
     * Bytes of the link's log that the receiver has acknowledged: consumed, in shared memory; by UDP, as far as its
     * status messages say. Never falls.
     *
     * @return bytes since the link was opened, counted as {@link io.sluice.messaging.Link#bytes} counts them
     */
    long acknowledged();
}
