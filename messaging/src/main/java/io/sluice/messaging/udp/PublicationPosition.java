package io.sluice.messaging.udp;

import io.aeron.AeronCounters;
import io.aeron.logbuffer.LogBufferDescriptor;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.agrona.concurrent.status.UnsafeBufferPosition;

/**
 * How far a publication has been sent. Aeron counts one datagram for each call of its endpoint, which has sent a whole
 * batch with the first; {@link #catchUp} makes Aeron's position that of the batch. For the sender's thread.
 */
final class PublicationPosition {
    /** The result if Aeron's position differs from the expected position. */
    static final long UNEXPECTED = -1;

    private final UnsafeBufferPosition position;
    private final UnsafeBufferPosition limit;
    private int mtu;
    private long counted;
    private long reached;

    /**
     * Creates the position of a publication from its counters.
     *
     * @param position position up to which Aeron has sent
     * @param limit position up to which it may send
     */
    PublicationPosition(UnsafeBufferPosition position, UnsafeBufferPosition limit) {
        this.position = position;
        this.limit = limit;
    }

    /**
     * Finds the position of a publication that the sender is about to serve.
     *
     * @param id registration id of the publication
     * @param counters counters of the driver
     * @return null if the counters do not exist and Aeron has to send
     */
    static PublicationPosition of(long id, CountersReader counters) {
        int position = counters.findByTypeIdAndRegistrationId(AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID, id);
        int limit = counters.findByTypeIdAndRegistrationId(AeronCounters.DRIVER_SENDER_LIMIT_TYPE_ID, id);
        if (position == CountersReader.NULL_COUNTER_ID || limit == CountersReader.NULL_COUNTER_ID) {
            return null;
        }
        UnsafeBuffer values = (UnsafeBuffer) counters.valuesBuffer();
        return new PublicationPosition(
                new UnsafeBufferPosition(values, position), new UnsafeBufferPosition(values, limit));
    }

    /** Sets the length of the publication's longest datagram, which its SETUP frame states. */
    void mtu(int bytes) {
        mtu = bytes;
    }

    /** The longest datagram in bytes. */
    int mtu() {
        return mtu;
    }

    /**
     * Whether Aeron sends the bytes at an offset next. Bytes that it retransmits lie at most a term before them.
     *
     * @param offset     offset of the bytes in the term
     * @param termLength length of their buffer, which may be no term
     */
    boolean isNext(int offset, int termLength) {
        return mtu > 0
                && termLength >= LogBufferDescriptor.TERM_MIN_LENGTH
                && offset == ((int) position.get() & (termLength - 1));
    }

    /** Number of bytes that flow control allows to be sent. */
    long window() {
        return limit.get() - position.get();
    }

    /**
     * Records a batch that was sent.
     *
     * @param first bytes of its first datagram, which Aeron counts
     * @param all   bytes of the batch; both with padding
     */
    void sent(int first, int all) {
        counted = position.get() + first;
        reached = counted - first + all;
    }

    /**
     * Counts all of the last batch.
     *
     * @return bytes that Aeron had not counted; {@link #UNEXPECTED} if its position is not the expected one, so that
     *     Aeron sends the bytes again
     */
    long catchUp() {
        if (position.get() != counted) {
            return UNEXPECTED;
        }
        position.setRelease(reached);
        return reached - counted;
    }
}
