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
 * Passes frames on to several links in order, each at its own pace, within bounded memory.
 *
 * <p>A frame is offered to the links that are up to date from where it lies. If some have no room, are held back by a
 * budget, or have yet to send frames before it, it is copied into a ring, once for all of them, and offered by {@link
 * #flush} later. Once a link is a whole ring behind, nothing more is taken. But a link that has lost its receiver
 * does not hold up the others: it is closed, or, where receivers can ask for what they miss, skipped to the end of
 * the ring, and so is one whose receiver has taken nothing for a patience. If the receiver comes back it finds a gap.
 *
 * <p>Used by one thread. Allocates nothing after construction, but for links that are added.
 */
public final class FrameRing {
    /** The frame's length, and the time at which it came. */
    private static final int HEADER = 2 * Long.BYTES;

    private static final int SINCE = Long.BYTES;

    /** Frames begin where words do, for the sake of whoever reads their headers. */
    private static final int ALIGNMENT = 8;

    /** In place of a length: the next frame is at the ring's begin. */
    private static final int WRAP = -1;

    private final FanOut.Watching watching;
    private final NanoClock clock;
    private final UnsafeBuffer ring;
    private final int capacity;
    private RingLink[] links = new RingLink[0];
    private long patienceNs;

    /** Null where no link is skipped. */
    private Consumer<String> skipped;

    /** Links that were ever added. */
    private int opened;

    private long tail;
    private long frames;

    /**
     * Allocates the ring, for links that may always send, and on which nobody looks.
     *
     * @param links    to serve; may be empty, then frames are done at once
     * @param capacity bytes that a link may be behind, 1 or more; rounded up to a power of two
     */
    public FrameRing(Link[] links, int capacity) {
        this(links, null, () -> 0, capacity);
    }

    /**
     * Allocates the ring.
     *
     * @param links    to serve; may be empty, then frames are done at once
     * @param watching begins to watch each of them, and says when they may send; null if they always may, and nobody
     *                 looks on
     * @param clock    by which frames grow old, and receivers stand
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
     * From now on, when the ring is full, goes on without links whose receivers take nothing, which have to be told of
     * what they miss by others.
     *
     * @param forNs how long a receiver that is there has to take nothing, in nanoseconds
     * @param told  given the label of each link that is skipped
     */
    public void skipStanding(long forNs, Consumer<String> told) {
        patienceNs = forNs;
        skipped = told;
    }

    /**
     * Serves one more link, beginning with the next frame.
     *
     * @param link just opened
     * @return its number: links are counted as they are added
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
     * Closes a link whose receiver is gone for good, or elsewhere now, and forgets it. What its log has taken is still
     * delivered. One that is closed already stays so.
     *
     * @param link its number
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
     * The longest frame that is certain to be taken once all links are up to date.
     *
     * @return bytes
     */
    public int longestFrame() {
        return capacity / 2 - HEADER;
    }

    /**
     * Takes a frame, which each link will have been offered in its turn.
     *
     * @param buffer holding the frame
     * @param offset of its first byte
     * @param length in bytes, up to {@link #longestFrame}
     * @return false if there is no room for it until some link has caught up: nothing has happened
     * @throws IllegalArgumentException if the frame is longer than the ring can hold
     * @throws io.sluice.messaging.LinkClosedException if a link will never take a frame again
     */
    public boolean pass(DirectBuffer buffer, int offset, int length) {
        if (length > longestFrame()) {
            throw new IllegalArgumentException("a frame of " + length + " bytes does not fit a ring of " + capacity
                    + ", which takes " + longestFrame() + " at most");
        }
        flush();
        if (!hasRoom(length) && !(goOnWithout() && hasRoom(length))) {
            return false;
        }
        boolean all = true;
        for (RingLink link : links) {
            link.served(link.position() == tail && link.offer(buffer, offset, length));
            all &= link.isServed();
        }
        if (!all) {
            append(buffer, offset, length);
        }
        return true;
    }

    private boolean goOnWithout() {
        boolean found = false;
        for (RingLink link : links) {
            boolean lost = link.isLost();
            if (!link.isBehind(tail)
                    || !lost && (null == skipped || !link.outlet().stands(patienceNs))) {
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

    /** Those that have been offered the frame already are up to date behind it. */
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

    /** Bytes up to the ring's end, if the frame does not fit there. */
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
     * Offers what is in the ring until each link is up to date or refuses.
     *
     * @return frames sent, counting one for each link that took it
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

    /** To be called in every duty cycle, after sending. */
    public void look() {
        for (RingLink link : links) {
            link.outlet().look();
        }
    }

    /** Who watches the links, in their order; nobody where they are not watched. */
    public List<LinkWatch> watches() {
        return Arrays.stream(links)
                .map(link -> link.outlet().watch())
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * By how much the slowest link is behind.
     *
     * @return bytes of the ring; 0 if all have been offered all
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
     * Whether every link has been offered all, or has lost its receiver.
     *
     * @return true if nothing waits but for receivers that are gone
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
     * Whether anybody is there to send to, as far as Aeron knows.
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

    /** What waits for one link: in the ring behind its own position. */
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
