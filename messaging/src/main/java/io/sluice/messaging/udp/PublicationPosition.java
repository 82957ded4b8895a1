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
    /** Aeron's position differs from the expected position. */
    static final long UNEXPECTED = -1;

    private final UnsafeBufferPosition position;
    private final UnsafeBufferPosition limit;
    private int mtu;
    private long counted;
    private long reached;

    /**
     * Of a publication whose counters are at hand.
     *
     * @param position up to which Aeron has sent
     * @param limit    up to which it may send
     */
    PublicationPosition(UnsafeBufferPosition position, UnsafeBufferPosition limit) {
        this.position = position;
        this.limit = limit;
    }

    /**
     * Of a publication that the sender is about to serve.
     *
     * @param id       its registration
     * @param counters of the driver
     * @return null if they are not there, and it has to be left to Aeron
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

    /** Learns the publication's longest datagram, as its SETUP frame has it. */
    void mtu(int bytes) {
        mtu = bytes;
    }

    /** The longest datagram in bytes. */
    int mtu() {
        return mtu;
    }

    /**
     * Whether bytes of a term are those that Aeron sends next. Bytes that it sends again lie at most a term before
     * those.
     *
     * @param offset     of the bytes in the term
     * @param termLength of the buffer that they are in, which may be no term
     */
    boolean isNext(int offset, int termLength) {
        return mtu > 0
                && termLength >= LogBufferDescriptor.TERM_MIN_LENGTH
                && offset == ((int) position.get() & (termLength - 1));
    }

    /** Bytes that flow control allows to be sent. */
    long window() {
        return limit.get() - position.get();
    }

    /**
     * A batch was sent.
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
     * @return bytes that Aeron had not counted; {@link #UNEXPECTED} if its position is not what was expected, and it
     *     sends them again
     */
    long catchUp() {
        if (position.get() != counted) {
            return UNEXPECTED;
        }
        position.setRelease(reached);
        return reached - counted;
    }
}
