package io.sluice.tree;

import io.sluice.codecs.FrameBuffer;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.LinkWatch;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Forwards frames to several links in order, each at its own pace, within bounded memory.
 *
 * <p>The ring offers a frame in place to the links that are up to date. If a link's log is full, its budget is spent,
 * or it has earlier frames to send, the frame is copied into the ring, once for all such links, and {@link #flush}
 * offers it later. Once a link is a whole ring behind, the ring accepts no more frames. A link that has lost its
 * receiver does not delay the others: the ring closes it. If receivers can request missing frames, the ring instead
 * makes that link skip all frames in the ring, and does so as well if a receiver has made no progress for longer than
 * the patience. A receiver that returns finds a gap.
 *
 * <p>Used by one thread. Allocates nothing after construction, except for added links.
 */
public final class FrameRing {
    /** The frame's length and time of arrival. */
    private static final int HEADER = 2 * Long.BYTES;

    private static final int SINCE = Long.BYTES;

    /** Alignment of frames, to words, for aligned reads of their headers. */
    private static final int ALIGNMENT = 8;

    /** Stands for a length where the next frame is at the start of the ring. */
    private static final int WRAP = -1;

    private final FanOut.Watching watching;
    private final NanoClock clock;
    private final UnsafeBuffer ring;
    private final int capacity;
    private RingLink[] links = new RingLink[0];
    private long patienceNs;

    /** Receives the label of each link that skips frames; null if no link may skip any. */
    private Consumer<String> skipped;

    /** Number of links that were ever added. */
    private int opened;

    private long tail;
    private long frames;

    /**
     * Allocates the ring, for links that may always send and are not watched.
     *
     * @param links    links to serve; if empty, frames are dropped at once
     * @param capacity bytes that a link may be behind, 1 or more; rounded up to a power of two
     */
    public FrameRing(Link[] links, int capacity) {
        this(links, null, () -> 0, capacity);
    }

    /**
     * Allocates the ring.
     *
     * @param links    links to serve; if empty, frames are dropped at once
     * @param watching creates the watch of a link, which decides when the link may send; null if links may always send
     * @param clock    clock for the age of frames and stalled receivers
     * @param capacity bytes that a link may be behind, 1 or more; rounded up to a power of two
     */
    public FrameRing(Link[] links, FanOut.Watching watching, NanoClock clock, int capacity) {
        this.watching = watching;
        this.clock = clock;
        this.capacity = BitUtil.findNextPositivePowerOfTwo(Math.max(2 * HEADER, capacity));
        this.ring = new FrameBuffer(this.capacity).buffer();
        for (Link link : links) {
            add(link);
        }
    }

    /**
     * Makes a full ring skip links whose receivers make no progress. The caller must notify such
     * receivers by other means that they miss frames.
     *
     * @param forNs    how long a connected receiver must make no progress, in nanoseconds
     * @param listener receives the label of each skipped link
     */
    public void skipStanding(long forNs, Consumer<String> listener) {
        patienceNs = forNs;
        skipped = listener;
    }

    /**
     * Serves one more link, beginning with the next frame.
     *
     * @param link link that was just opened
     * @return number of the link: links are counted as they are added
     */
    public int add(Link link) {
        RingLink added = new RingLink(opened++, link, clock, tail, frames);
        if (null != watching) {
            added.outlet().watch(watching.watch(link, new LinkBacklog(added)));
        }
        links = Arrays.copyOf(links, links.length + 1);
        links[links.length - 1] = added;
        return added.number();
    }

    /**
     * Closes and forgets a link whose receiver has ended or moved. Frames in its log are still delivered. Closing twice
     * is harmless.
     *
     * @param link number of the link
     */
    public void close(int link) {
        for (RingLink each : links) {
            if (each.number() == link) {
                close(each);
            }
        }
    }

    private void close(RingLink link) {
        link.outlet().close();
        links = Arrays.stream(links).filter(other -> other != link).toArray(RingLink[]::new);
    }

    /**
     * Length of the longest frame that the ring certainly accepts once all links are up to date.
     *
     * @return bytes
     */
    public int longestFrame() {
        return capacity / 2 - HEADER;
    }

    /**
     * Offers a frame to each link in turn, and keeps a copy for the links that cannot accept it yet.
     *
     * @param buffer buffer holding the frame
     * @param offset offset of its first byte
     * @param length length in bytes, up to {@link #longestFrame}
     * @return false, without any effect, if the ring cannot hold the frame until some link has caught up
     * @throws IllegalArgumentException if the frame is longer than {@link #longestFrame}
     * @throws io.sluice.messaging.LinkClosedException if a link will never take a frame again
     */
    public boolean pass(DirectBuffer buffer, int offset, int length) {
        if (length > longestFrame()) {
            throw new IllegalArgumentException("a frame of " + length + " bytes does not fit a ring of " + capacity
                    + ", which takes " + longestFrame() + " at most");
        }
        flush();
        if (!hasRoom(length) && !(continueWithout() && hasRoom(length))) {
            return false;
        }
        boolean all = true;
        for (RingLink link : links) {
            link.setServed(link.position() == tail && link.offer(buffer, offset, length));
            all &= link.isServed();
        }
        if (!all) {
            append(buffer, offset, length);
        }
        return true;
    }

    private boolean continueWithout() {
        boolean found = false;
        for (RingLink link : links) {
            boolean lost = link.isLost();
            if (!link.isBehind(tail)
                    || !lost && (null == skipped || !link.outlet().isStalled(patienceNs))) {
                continue;
            }
            found = true;
            if (null == skipped) {
                close(link);
            } else if (link.skipTo(tail, frames)) {
                skipped.accept(link.outlet().link().label());
            }
        }
        return found;
    }

    private boolean hasRoom(int length) {
        return tail + padding(length) + lengthInRing(length) - slowest() <= capacity;
    }

    /** Copies a frame into the ring. Links that have been offered it already continue after it. */
    private void append(DirectBuffer buffer, int offset, int length) {
        int padding = padding(length);
        if (padding > 0) {
            ring.putInt(at(tail), WRAP);
        }
        int begin = at(tail + padding);
        ring.putInt(begin, length);
        ring.putLong(begin + SINCE, clock.nanoTime());
        ring.putBytes(begin + HEADER, buffer, offset, length);
        tail += padding + lengthInRing(length);
        frames++;
        for (RingLink link : links) {
            if (link.isServed()) {
                link.moveTo(tail, frames);
            }
        }
    }

    /** Number of bytes up to the end of the ring if the frame does not fit there, otherwise 0. */
    private int padding(int length) {
        int left = capacity - at(tail);
        return lengthInRing(length) > left ? left : 0;
    }

    private static int lengthInRing(int length) {
        return BitUtil.align(HEADER + length, ALIGNMENT);
    }

    private int at(long position) {
        return (int) (position & capacity - 1);
    }

    /**
     * Offers the frames in the ring until each link is up to date or refuses.
     *
     * @return frames sent, counting one for each link that accepted the frame
     * @throws io.sluice.messaging.LinkClosedException if a link will never take a frame again
     */
    public int flush() {
        int sent = 0;
        for (RingLink link : links) {
            while (link.isBehind(tail) && offerNext(link)) {
                sent++;
            }
        }
        return sent;
    }

    private boolean offerNext(RingLink link) {
        long position = nextFrame(link.position());
        int begin = at(position);
        int length = ring.getInt(begin);
        if (!link.offer(ring, begin + HEADER, length)) {
            return false;
        }
        link.moveTo(position + lengthInRing(length), link.frames() + 1);
        return true;
    }

    /** Position of the first frame from a position on. */
    private long nextFrame(long position) {
        return WRAP == ring.getInt(at(position)) ? position + capacity - at(position) : position;
    }

    /** Observes all links. Call it in every duty cycle, after sending. */
    public void look() {
        for (RingLink link : links) {
            link.outlet().look();
        }
    }

    /** The watches of the links, in the links' order; empty if they are not watched. */
    public List<LinkWatch> watches() {
        return Arrays.stream(links)
                .map(link -> link.outlet().watch())
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * The bytes by which the slowest link is behind.
     *
     * @return bytes of the ring; 0 if all links have been offered all frames
     */
    public long backlog() {
        return tail - slowest();
    }

    private long slowest() {
        long slowest = tail;
        for (RingLink link : links) {
            slowest = Math.min(slowest, link.position());
        }
        return slowest;
    }

    /**
     * Whether every link has been offered all frames or has lost its receiver.
     *
     * @return true if frames wait only for receivers that have ended
     */
    public boolean isSettled() {
        for (RingLink link : links) {
            if (link.isBehind(tail) && !link.isLost()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether any link has a receiver, according to Aeron.
     *
     * @return true if some link is connected
     */
    public boolean isConnected() {
        for (RingLink link : links) {
            if (link.isConnected()) {
                return true;
            }
        }
        return false;
    }

    /** The backlog of one link: the ring after its position. */
    private final class LinkBacklog implements Backlog {
        private final RingLink link;

        LinkBacklog(RingLink link) {
            this.link = link;
        }

        @Override
        public int frames() {
            return (int) (frames - link.frames());
        }

        @Override
        public long bytes() {
            return tail - link.position();
        }

        @Override
        public long oldestNs() {
            return link.isBehind(tail) ? ring.getLong(at(nextFrame(link.position())) + SINCE) : Long.MAX_VALUE;
        }
    }
}
