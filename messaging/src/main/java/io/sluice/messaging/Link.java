package io.sluice.messaging;

import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.sluice.codecs.Frame;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.counters.LinkCounters;
import io.sluice.messaging.idle.Bell;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * The sending end of a stream to one peer, or of a shared log that several processes read.
 *
 * <p>A frame of at most {@link #maxUnfragmentedLength()} bytes is copied once, into the log, and the receiver reads it
 * there; a longer one is split by Aeron and joined again by the {@link Inbox}. Nothing here blocks, waits or allocates,
 * except that {@link #awaitConnected} waits until a deadline.
 *
 * <p>One thread sends. The counters may be read from any thread. An accepted frame is in the log and Aeron delivers it,
 * but only the peer can tell whether it has handled the frame.
 */
public final class Link implements AutoCloseable {
    /** Number of bytes by which alignment makes a frame longer in the log, on average. */
    public static final int MEAN_PADDING = FrameDescriptor.FRAME_ALIGNMENT / 2;

    /** Maximum number of repetitions of an offer that Aeron refuses while it rotates to the next term. */
    private static final int ADMIN_RETRIES = 3;

    private final String label;
    private final ExclusivePublication publication;
    private final Bell bell;
    private final int maxUnfragmentedLength;
    private final int maxFrameLength;
    private final LinkCounters counters;
    private final boolean udp;

    Link(String label, ExclusivePublication publication, Bell bell, LinkCounters counters) {
        this.label = label;
        this.publication = publication;
        this.bell = bell;
        this.counters = counters;
        this.udp = publication.channel().startsWith(CommonContext.UDP_CHANNEL);
        this.maxUnfragmentedLength = publication.maxPayloadLength();
        this.maxFrameLength = publication.maxMessageLength();
    }

    /**
     * Offers a frame.
     *
     * @param buffer buffer holding the frame.
     * @param offset offset of its first byte.
     * @param length length in bytes, 1 to {@link #maxFrameLength()}.
     * @return true if the log has accepted the frame; false if the log is full or there is no receiver now: offer it
     *     again later.
     * @throws LinkClosedException if this link will never accept a frame again.
     * @throws MessagingException if the frame is too long for the link.
     */
    public boolean offer(DirectBuffer buffer, int offset, int length) {
        checkLength(length);
        long position = publication.offer(buffer, offset, length);
        for (int i = 0; position == Publication.ADMIN_ACTION && i < ADMIN_RETRIES; i++) {
            position = publication.offer(buffer, offset, length);
        }
        if (position > 0) {
            counters.onSent(templateId(buffer, offset, length), lengthInLog(length));
            counters.setConnected(true);
            ring();
            return true;
        }
        bell.ringDriver(); // the driver makes room, or connects
        return refused(position);
    }

    private void ring() {
        if (udp) {
            bell.ringDriver();
        } else {
            bell.ringNodes();
        }
    }

    /** Counts a refused offer for a frame that waits until the log can hold it. */
    public void stall() {
        if (!publication.isConnected()) {
            counters.setConnected(false);
        }
        counters.onStall();
    }

    private void checkLength(int length) {
        if (length <= 0 || length > maxFrameLength) {
            throw new MessagingException("a frame of " + length + " bytes does not fit link " + label
                    + ", which carries 1 to " + maxFrameLength + " bytes");
        }
    }

    /** The template id of a frame; a frame too short for a header has none, and its receiver rejects it. */
    private static int templateId(DirectBuffer buffer, int offset, int length) {
        return length < Frame.HEADER_LENGTH ? 0 : Frame.templateId(buffer, offset);
    }

    private boolean refused(long position) {
        if (position == Publication.CLOSED) {
            throw new LinkClosedException("link " + label + " is closed");
        }
        if (position == Publication.MAX_POSITION_EXCEEDED) {
            throw new LinkClosedException("link " + label + " has reached the end of its stream at "
                    + publication.maxPossiblePosition() + " bytes");
        }
        if (position == Publication.NOT_CONNECTED) {
            counters.setConnected(false);
        }
        counters.onStall();
        return false;
    }

    /**
     * Waits until a receiver is connected.
     *
     * @param timeoutNs longest wait in nanoseconds.
     * @param clock monotonic clock that measures the wait.
     * @param idle idle strategy between two checks.
     * @throws ConnectTimeoutException if no receiver connected in time.
     * @throws LinkClosedException if the link was closed during the wait.
     */
    public void awaitConnected(long timeoutNs, NanoClock clock, IdleStrategy idle) {
        long start = clock.nanoTime();
        while (!publication.isConnected()) {
            if (publication.isClosed()) {
                throw new LinkClosedException("link " + label + " is closed");
            }
            if (clock.nanoTime() - start >= timeoutNs) {
                throw new ConnectTimeoutException("peer " + label + " did not connect to " + publication.channel()
                        + " stream " + publication.streamId() + " within " + timeoutNs / 1_000_000 + " ms");
            }
            idle.idle();
        }
        counters.setConnected(true);
        idle.reset();
    }

    /** Number of bytes that a frame occupies in the log: each piece with its 32-byte Aeron header, rounded up to 32. */
    public int lengthInLog(int length) {
        if (length
                <= maxUnfragmentedLength) { // Most frames are in one piece, and the general calculation has to divide.
            return lengthInOnePiece(length);
        }
        return LogBufferDescriptor.computeFragmentedFrameLength(length, maxUnfragmentedLength);
    }

    /** Number of bytes that a frame in one piece occupies in the log. */
    public static int lengthInOnePiece(int length) {
        return BitUtil.align(length + DataHeaderFlyweight.HEADER_LENGTH, FrameDescriptor.FRAME_ALIGNMENT);
    }

    /** Length of the longest frame that is sent in one piece, in bytes. */
    public int maxUnfragmentedLength() {
        return maxUnfragmentedLength;
    }

    /** Length of the longest frame that this link carries, in bytes. */
    public int maxFrameLength() {
        return maxFrameLength;
    }

    /** Whether Aeron reports a connected receiver; it notices a receiver's death only after its own timeouts. */
    public boolean isConnected() {
        return publication.isConnected();
    }

    /** Whether the link uses a network socket, even to its own host, and not shared memory. */
    public boolean isUdp() {
        return udp;
    }

    /** Whether the link was closed, by this process or because the media driver ended. */
    public boolean isClosed() {
        return publication.isClosed();
    }

    /** Number of bytes that the log accepts before it refuses a frame; negative when closed. */
    public long room() {
        return publication.availableWindow();
    }

    /** Name of this link in messages and errors. */
    public String label() {
        return label;
    }

    /** The id of the Aeron session, by which a receiver distinguishes the senders of a stream. */
    public int sessionId() {
        return publication.sessionId();
    }

    /** The publication's id at the media driver, by which the driver's counters of it are found. */
    public long registrationId() {
        return publication.registrationId();
    }

    /** Position of the stream after the last frame accepted, or a negative value when closed. */
    public long position() {
        return publication.position();
    }

    /** Number of frames accepted so far. */
    public long frames() {
        return counters.frames();
    }

    /** Number of bytes accepted so far, as {@link #lengthInLog} counts them. */
    public long bytes() {
        return counters.bytes();
    }

    /** Number of offers refused so far, because the log was full or had no receiver. */
    public long stalls() {
        return counters.stalls();
    }

    /** The counters of this link, which other processes can read, and to which users of the link may add their own. */
    public LinkCounters counters() {
        return counters;
    }

    /** Ends the stream; Aeron still delivers the frames in the log. Closing twice is harmless. */
    @Override
    public void close() {
        publication.close();
        counters.close();
    }

    @Override
    public String toString() {
        return "Link{" + label + " frames=" + frames() + " bytes=" + bytes() + " stalls=" + stalls() + "}";
    }
}
