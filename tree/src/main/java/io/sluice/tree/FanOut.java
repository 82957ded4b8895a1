package io.sluice.tree;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.FencedQueue;
import io.sluice.messaging.outbox.LinkWatch;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * Sends each frame on every one of a node's outgoing hops, at the pace of each.
 *
 * <p>Where an order decides, frames first wait in a queue, the most urgent first, where they can be overtaken, until
 * some link has room for one more. Then they are sealed and go into a ring, in which each link has its own position: so
 * all links carry the same bytes in the same order. Nothing is decoded or copied here.
 *
 * <p>What is in the ring cannot be overtaken, so with an order the ring is kept short: frames stay in the queue while
 * any link is {@value #LEAD} frames behind, and all links go at the pace of the slowest. But a link whose path has
 * taken nothing for 50 ms, for its log is full or its in-flight window closed, stands: its receiver computes, or is
 * gone. It delays neither the others nor the caller, up to the ring's capacity, until it moves again. Without an order
 * nothing is gained by waiting, and no link delays another at all.
 *
 * <p>A budget that links share goes to whoever comes first, and each time another link does.
 *
 * <p>Used by one thread. Allocates nothing after construction.
 */
public final class FanOut {
    /** How many times as many frames as wait may overtake one before it goes. */
    private static final int PATIENCE = 4;

    /** Frames in the ring that a link has yet to send, at which no more leave the queue. */
    static final int LEAD = 2;

    /** Time in which a link of 10 Mbit/s sends a frame of 64 KiB. */
    static final long STAND_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Link[] links;
    private final LinkWatch[] watches;
    private final boolean ordered;
    private final NanoClock clock;
    private final int longest;
    private final long[] positions;
    private final boolean[] refusing;
    private final boolean[] givenUp;
    private final long[] refusingSinceNs;

    /** By link, bytes of all frames that it has taken. */
    private final long[] taken;

    private final OutFrame[] ring;
    private final int mask;
    private final FencedQueue queue;
    private final OutFrame[] waiting;
    private final int[] free;
    private int freeCount;
    private int first;
    private long tail;

    /** Bytes of the frames in the queue, as far as they are known before they are sealed. */
    private long queuedBytes;

    /** Bytes of all frames that have left the queue. */
    private long sealedBytes;

    /** Begins to watch the link of a hop. */
    @FunctionalInterface
    public interface Watching {
        /**
         * Called once for each link.
         *
         * @param link    just opened
         * @param backlog what waits for it
         * @return its watch
         */
        LinkWatch watch(Link link, Backlog backlog);
    }

    /**
     * Creates an empty fan-out that sends frames in the order in which they come, whatever the pace.
     *
     * @param links    one per outgoing hop; may be empty, then frames are done at once
     * @param capacity most frames that may be on their way at a time; rounded up to a power of two
     */
    public FanOut(Link[] links, int capacity) {
        this(links, null, false, capacity, 0, 0);
    }

    /**
     * Creates an empty fan-out.
     *
     * @param links    one per outgoing hop; may be empty, then frames are done at once, unsealed
     * @param watching begins to watch each of them, and says when they may send; null if they always may, and nobody
     *                 looks on
     * @param ordered  whether frames wait where they can be overtaken until some link may send; if not, they leave the
     *                 queue at once. Only for links that are watched
     * @param capacity most frames that may be on their way at a time; rounded up to a power of two
     * @param lanes    numbers that fences may close, from 0
     * @param longest  frame there will be, in bytes
     */
    public FanOut(Link[] links, Watching watching, boolean ordered, int capacity, int lanes, int longest) {
        this.links = links.clone();
        this.watches = new LinkWatch[null == watching ? 0 : links.length];
        for (int i = 0; i < watches.length; i++) {
            watches[i] = watching.watch(links[i], new LinkBacklog(i));
        }
        this.clock = 0 == watches.length ? () -> 0 : watches[0].clock();
        this.ordered = ordered;
        this.longest = longest;
        this.positions = new long[links.length];
        this.refusing = new boolean[links.length];
        this.givenUp = new boolean[links.length];
        this.refusingSinceNs = new long[links.length];
        this.taken = new long[links.length];
        int size = Math.max(2, Integer.highestOneBit(Math.max(1, capacity - 1)) << 1);
        this.ring = new OutFrame[size];
        this.mask = size - 1;
        this.queue = new FencedQueue(size, lanes, (long) PATIENCE * size);
        this.waiting = new OutFrame[size];
        this.free = new int[size];
        for (int slot = size - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
    }

    /**
     * Puts a frame that is sealed already behind all others.
     *
     * @param frame  an idle frame, written from index 0 of its buffer
     * @param length bytes of the frame
     * @throws IllegalStateException if the frame is still being sent, or more frames wait than the capacity allows:
     *                               both are errors of the caller's accounting
     */
    public void enqueue(OutFrame frame, int length) {
        frame.length(length);
        int slot = admit(frame);
        if (slot != FencedQueue.NONE) {
            queue.put(slot, FencedQueue.NO_LANE, Long.MAX_VALUE);
        }
    }

    /**
     * Puts a frame among those waiting. It is sealed when its turn has come.
     *
     * @param frame    an idle frame that can be sealed
     * @param lane     that it belongs to, or {@link FencedQueue#NO_LANE}
     * @param priority the smaller, the sooner; equal ones as they come
     * @param bytes    about how long it will be, for those who look on
     * @throws IllegalStateException as {@link #enqueue(OutFrame, int)} does
     */
    public void enqueue(OutFrame frame, int lane, long priority, int bytes) {
        frame.length(bytes);
        int slot = admit(frame);
        if (slot != FencedQueue.NONE) {
            queue.put(slot, lane, priority);
        }
    }

    /**
     * Puts a frame behind all that wait of its lane, and before all that will.
     *
     * @param frame an idle frame that can be sealed
     * @param lane  that it closes
     * @throws IllegalStateException as {@link #enqueue(OutFrame, int)} does
     */
    public void enqueueFence(OutFrame frame, int lane) {
        int slot = admit(frame);
        if (slot != FencedQueue.NONE) {
            queue.fence(slot, lane);
        }
    }

    private int admit(OutFrame frame) {
        if (!frame.isIdle()) {
            throw new IllegalStateException("the frame is still being sent");
        }
        if (0 == links.length) {
            return FencedQueue.NONE;
        }
        if (backlog() > mask) {
            throw new IllegalStateException("more than " + ring.length + " frames wait to be sent");
        }
        frame.queued(links.length, clock.nanoTime());
        queuedBytes += frame.length();
        int slot = free[--freeCount];
        waiting[slot] = frame;
        return slot;
    }

    /**
     * Offers frames to their links until each is up to date or refuses, or its budget is used up.
     *
     * @return frames sent, counting one for each link that took it; 0 when there was nothing to do or no room
     */
    public int flush() {
        int sent = offer();
        while (isTurn() && next()) {
            sent += offer();
        }
        for (LinkWatch watch : watches) {
            watch.look();
        }
        return sent;
    }

    /**
     * Sends nothing more on a link whose receivers are gone: versions would wait behind what they no longer take.
     *
     * @param link index of the link
     */
    public void giveUp(int link) {
        givenUp[link] = true;
    }

    /** Whether a frame may leave the queue: a link is up to date and has room for it, and none is far behind. */
    private boolean isTurn() {
        if (0 == queue.size()) {
            return false;
        }
        if (!ordered) {
            return true;
        }
        boolean room = false;
        for (int i = 0; i < links.length; i++) {
            long behind = tail - positions[i];
            if (behind >= LEAD && !stands(i)) {
                return false;
            }
            room = room || givenUp[i] || 0 == behind && isOpen(i, longest) && !isHeldBack(i, longest);
        }
        return room;
    }

    private boolean stands(int link) {
        return refusing[link] && clock.nanoTime() - refusingSinceNs[link] > STAND_NS;
    }

    private boolean next() {
        int slot = queue.first();
        if (slot == FencedQueue.NONE) {
            return false;
        }
        queue.remove(slot);
        OutFrame frame = waiting[slot];
        waiting[slot] = null;
        free[freeCount++] = slot;
        queuedBytes -= frame.length();
        frame.seal();
        sealedBytes += frame.length();
        ring[(int) tail & mask] = frame;
        tail++;
        return true;
    }

    private int offer() {
        int sent = 0;
        int from = first;
        for (int i = 0; i < links.length; i++) {
            int link = (from + i) % links.length;
            int frames = offer(link);
            if (frames > 0) {
                first = (link + 1) % links.length;
            }
            sent += frames;
        }
        return sent;
    }

    /** Says why it stops: a path that takes nothing may stand, a budget says nothing of the path. */
    private int offer(int link) {
        int sent = 0;
        while (positions[link] < tail) {
            OutFrame frame = ring[(int) positions[link] & mask];
            if (givenUp[link]) {
                frame.sent();
                positions[link]++;
                continue;
            }
            if (!isOpen(link, frame.length())) {
                onRefused(link);
                break;
            }
            if (isHeldBack(link, frame.length())) {
                refusing[link] = false;
                break;
            }
            if (!links[link].offer(frame.buffer(), 0, frame.length())) {
                onRefused(link);
                break;
            }
            onSent(link, frame.length());
            frame.sent();
            positions[link]++;
            sent++;
        }
        return sent;
    }

    /** Whether log and in-flight window have room, which others that share the budget do not change. */
    private boolean isOpen(int link, int length) {
        if (links[link].room() <= 0 && !links[link].isClosed()) { // a closed one says so when it is offered a frame
            return false;
        }
        return 0 == watches.length || watches[link].pacing().isOpen(length);
    }

    private boolean isHeldBack(int link, int length) {
        if (0 == watches.length || !watches[link].pacing().isBudgeted()) {
            return false;
        }
        return watches[link].pacing().holdsBack(length, clock.nanoTime());
    }

    private void onSent(int link, int length) {
        taken[link] += length;
        if (0 != watches.length) {
            refusing[link] = false;
            watches[link].pacing().onSent(length);
            watches[link].onSent();
        }
    }

    private void onRefused(int link) {
        if (ordered && !refusing[link]) {
            refusing[link] = true;
            refusingSinceNs[link] = clock.nanoTime();
        }
    }

    /** Who watches the links, in their order. */
    public List<LinkWatch> watches() {
        return List.of(watches);
    }

    /**
     * How many frames could go on every link at once because nothing waits and all budgets have run empty: see
     * {@link Pacing#spare}.
     *
     * @return 0 if the links are not watched
     */
    public int spare() {
        if (0 != backlog() || 0 == watches.length) {
            return 0;
        }
        int frames = Integer.MAX_VALUE;
        for (int i = 0; i < links.length; i++) {
            int spare = links[i].room() > 0 ? watches[i].pacing().spare(longest) : 0;
            frames = givenUp[i] ? frames : Math.min(frames, spare);
        }
        return frames;
    }

    /**
     * Frames that the slowest link has yet to send.
     *
     * @return 0 when every link is up to date and nothing waits
     */
    public int backlog() {
        return queue.size() + (0 == links.length ? 0 : (int) (tail - slowest()));
    }

    private long slowest() {
        long slowest = tail;
        for (long position : positions) {
            slowest = Math.min(slowest, position);
        }
        return slowest;
    }

    /** What waits for one link: in the queue of all, and in the ring behind its own position. */
    private final class LinkBacklog implements Backlog {
        private final int link;

        LinkBacklog(int link) {
            this.link = link;
        }

        @Override
        public int frames() {
            return queue.size() + (int) (tail - positions[link]);
        }

        @Override
        public long bytes() {
            return queuedBytes + sealedBytes - taken[link];
        }

        @Override
        public long oldestNs() {
            long oldestNs = Long.MAX_VALUE;
            for (OutFrame frame : waiting) {
                oldestNs = null == frame ? oldestNs : Math.min(oldestNs, frame.sinceNs());
            }
            for (long position = positions[link]; position < tail; position++) {
                oldestNs = Math.min(oldestNs, ring[(int) position & mask].sinceNs());
            }
            return oldestNs;
        }
    }
}
