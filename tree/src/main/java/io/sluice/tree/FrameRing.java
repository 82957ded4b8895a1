package io.sluice.tree;

import io.sluice.codecs.FrameBuffer;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.LinkWatch;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Passes frames on to several links in order, each at its own pace, within bounded memory.
 *
 * <p>A frame is offered to the links that are up to date from where it lies. If some have no room, are held back by a
 * budget, or have yet to send frames before it, it is copied into a ring, once for all of them, and offered by
 * {@link #flush} later. Once a link is
 * a whole ring behind, nothing more is taken; but a link that has lost its receiver is given up then, and gets nothing
 * more: if the receiver was there after all, it finds a gap.
 *
 * <p>Used by one thread. Allocates nothing after construction.
 */
public final class FrameRing {
    /** The frame's length, and the time at which it came. */
    private static final int HEADER = 2 * Long.BYTES;

    private static final int SINCE = Long.BYTES;

    /** Frames begin where words do, for the sake of whoever reads their headers. */
    private static final int ALIGNMENT = 8;

    /** In place of a length: the next frame is at the ring's begin. */
    private static final int WRAP = -1;

    private final Link[] links;
    private final LinkWatch[] watches;
    private final NanoClock clock;
    private final long[] positions;

    /** By link, how many frames have gone through the ring before it. */
    private final long[] framesGone;

    private final boolean[] offered;
    private final boolean[] reached;
    private final boolean[] lost;
    private final UnsafeBuffer ring;
    private final int capacity;
    private long tail;
    private long frames;

    /**
     * Allocates the ring, for links that may always send, and on which nobody looks.
     *
     * @param links    to serve; may be empty, then frames are done at once
     * @param capacity bytes that a link may be behind, 1 or more; rounded up to a power of two
     */
    public FrameRing(Link[] links, int capacity) {
        this(links, null, capacity);
    }

    /**
     * Allocates the ring.
     *
     * @param links    to serve; may be empty, then frames are done at once
     * @param watching begins to watch each of them, and says when they may send; null if they always may, and nobody
     *                 looks on
     * @param capacity bytes that a link may be behind, 1 or more; rounded up to a power of two
     */
    public FrameRing(Link[] links, FanOut.Watching watching, int capacity) {
        this.links = links.clone();
        this.watches = new LinkWatch[null == watching ? 0 : links.length];
        for (int i = 0; i < watches.length; i++) {
            watches[i] = watching.watch(links[i], new LinkBacklog(i));
        }
        this.clock = 0 == watches.length ? () -> 0 : watches[0].clock();
        this.framesGone = new long[links.length];
        this.positions = new long[links.length];
        this.offered = new boolean[links.length];
        this.reached = new boolean[links.length];
        this.lost = new boolean[links.length];
        this.capacity = BitUtil.findNextPositivePowerOfTwo(Math.max(2 * HEADER, capacity));
        this.ring = new FrameBuffer(this.capacity).buffer();
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
        if (!hasRoom(length) && !(giveUpLost() && hasRoom(length))) {
            return false;
        }
        boolean all = true;
        for (int i = 0; i < links.length; i++) {
            offered[i] = lost[i] || positions[i] == tail && offer(i, buffer, offset, length);
            all &= offered[i];
        }
        if (!all) {
            append(buffer, offset, length);
        }
        return true;
    }

    private boolean offer(int link, DirectBuffer buffer, int offset, int length) {
        if (0 == watches.length) {
            boolean taken = links[link].offer(buffer, offset, length);
            reached[link] |= taken;
            return taken;
        }
        if (!watches[link].pacing().offer(buffer, offset, length)) {
            return false;
        }
        watches[link].onSent();
        reached[link] = true;
        return true;
    }

    private boolean giveUpLost() {
        boolean found = false;
        for (int i = 0; i < links.length; i++) {
            if (positions[i] < tail && reached[i] && !links[i].isConnected()) {
                lost[i] = true;
                catchUp(i);
                found = true;
            }
        }
        return found;
    }

    private void catchUp(int link) {
        positions[link] = tail;
        framesGone[link] = frames;
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
        for (int i = 0; i < links.length; i++) {
            if (offered[i]) {
                catchUp(i);
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
        for (int i = 0; i < links.length; i++) {
            while (positions[i] < tail && offerNext(i)) {
                sent++;
            }
        }
        return sent;
    }

    private boolean offerNext(int link) {
        long position = nextFrame(link);
        int begin = at(position);
        int length = ring.getInt(begin);
        if (!offer(link, ring, begin + HEADER, length)) {
            return false;
        }
        positions[link] = position + lengthInRing(length);
        framesGone[link]++;
        return true;
    }

    /** Position of the first frame that a link has yet to be offered. */
    private long nextFrame(int link) {
        long position = positions[link];
        return WRAP == ring.getInt(at(position)) ? position + capacity - at(position) : position;
    }

    /** To be called in every duty cycle, after sending. */
    public void look() {
        for (LinkWatch watch : watches) {
            watch.look();
        }
    }

    /** Who watches the links, in their order. */
    public List<LinkWatch> watches() {
        return List.of(watches);
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
        for (long position : positions) {
            slowest = Math.min(slowest, position);
        }
        return slowest;
    }

    /**
     * Whether every link has been offered all, or has lost its receiver.
     *
     * @return true if nothing waits but for receivers that are gone
     */
    public boolean isSettled() {
        for (int i = 0; i < links.length; i++) {
            if (positions[i] < tail && !(reached[i] && !links[i].isConnected())) {
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
        for (Link link : links) {
            if (link.isConnected()) {
                return true;
            }
        }
        return false;
    }

    /** What waits for one link: in the ring behind its own position. */
    private final class LinkBacklog implements Backlog {
        private final int link;

        LinkBacklog(int link) {
            this.link = link;
        }

        @Override
        public int frames() {
            return (int) (frames - framesGone[link]);
        }

        @Override
        public long bytes() {
            return tail - positions[link];
        }

        @Override
        public long oldestNs() {
            return positions[link] == tail ? Long.MAX_VALUE : ring.getLong(at(nextFrame(link)) + SINCE);
        }
    }
}
