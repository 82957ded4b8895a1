package io.sluice.messaging.udp;

import io.aeron.logbuffer.TermScanner;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The datagrams that follow one another in a term and may be sent together, as Aeron would cut them one by one. They
 * are not copied: messages refer to the term.
 *
 * <p>A train is a run of datagrams that are adjacent in memory and equally long; the last may be shorter. Another
 * length, padding, or the end of the term ends a train, and the next datagram begins another message.
 *
 * <p>For the sender's thread; the endpoints of a driver share one.
 */
final class SendBatch {
    /** Maximum number of messages in a batch. */
    static final int MAX_MESSAGES = 64;

    /** Maximum number of datagrams in a train: the limit of kernels before 6.9. */
    static final int MAX_SEGMENTS = 64;

    /**
     * Maximum size of a train, in bytes. With headers of UDP, IPv6, a VLAN and Ethernet it has less than 64 KiB, the
     * longest piece that devices pass on.
     */
    static final int MAX_TRAIN = 65_535 - 8 - 40 - 4 - 14;

    /** Number of bytes (two frames) after which a publication begins no further datagram, so that others are served. */
    static final int TURN = 128 << 10;

    private final MessageVector vector = new MessageVector(MAX_MESSAGES);
    private final int[] ends = new int[MAX_MESSAGES];
    private final int[] datagrams = new int[MAX_MESSAGES];
    private int count;
    private int firstEnd;
    private long from;
    private int bytes;
    private int segment;
    private int segments;
    private boolean closed;

    /**
     * Collects the datagrams that may be sent now.
     *
     * @param term   the whole term
     * @param offset offset of the first datagram
     * @param first  bytes of the first datagram
     * @param window bytes that flow control allows from the offset on, at least those of the first datagram
     * @param mtu    bytes of the longest datagram
     * @param trains whether datagrams may form trains; otherwise each is a message
     */
    void collect(UnsafeBuffer term, int offset, int first, long window, int mtu, boolean trains) {
        count = 0;
        segments = 0;
        firstEnd = 0;
        int total = 0;
        int longest = first;
        do {
            long outcome = TermScanner.scanForAvailability(term, offset + total, longest);
            int length = TermScanner.available(outcome);
            if (length <= 0 || !add(term.addressOffset() + offset + total, length, trains)) {
                break;
            }
            total += length + TermScanner.padding(outcome);
            ends[count - 1] = total;
            firstEnd = firstEnd == 0 ? total : firstEnd;
            longest = (int) Math.min(window - total, mtu);
        } while (longest > 0 && total < TURN && offset + total < term.capacity());
        flush();
    }

    private boolean add(long address, int length, boolean trains) {
        if (trains && prolongs(address, length)) {
            bytes += length;
            segments++;
            closed = length < segment;
            datagrams[count - 1]++;
            return true;
        }
        if (count == MAX_MESSAGES) {
            return false;
        }
        flush();
        from = address;
        bytes = length;
        segment = length;
        segments = 1;
        closed = false;
        datagrams[count] = 1;
        count++;
        return true;
    }

    private boolean prolongs(long address, int length) {
        return segments > 0
                && !closed
                && address == from + bytes
                && length <= segment
                && segments < MAX_SEGMENTS
                && bytes + length <= MAX_TRAIN;
    }

    private void flush() {
        if (segments > 0) {
            vector.put(count - 1, from, bytes, segments > 1 ? segment : 0);
        }
    }

    /** Whether the batch is a single datagram. */
    boolean isSingle() {
        return count == 1 && datagrams[0] == 1;
    }

    /** Number of messages. */
    int messages() {
        return count;
    }

    /** Whether a message is a train. */
    boolean isTrain(int message) {
        return datagrams[message] > 1;
    }

    /** Number of datagrams of the first messages. */
    int datagrams(int messages) {
        int sum = 0;
        for (int i = 0; i < messages; i++) {
            sum += datagrams[i];
        }
        return sum;
    }

    /** Number of bytes of the term that the first datagram takes, with padding. */
    int firstEnd() {
        return firstEnd;
    }

    /** Number of bytes of the term up to the end of a message, with padding. */
    int end(int message) {
        return ends[message];
    }

    /**
     * Sends all messages, or only the first ones.
     *
     * @return messages sent, or the negated error number if none was sent
     */
    int send(SocketCalls calls, int descriptor) {
        int sent;
        do {
            sent = calls.send(descriptor, vector.address(), count);
        } while (sent == -SocketCalls.EINTR);
        return sent;
    }
}
