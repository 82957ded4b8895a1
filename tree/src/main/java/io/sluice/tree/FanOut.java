package io.sluice.tree;

import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Backlog;
import io.sluice.messaging.outbox.BarrierQueue;
import io.sluice.messaging.outbox.LinkWatch;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Sends each frame on each of a node's outgoing hops, at the speed of the hop.
 *
 * <p>With an order, frames first wait in a queue, the most urgent first, until some link can accept one more. Then they
 * are finished and enter a ring in which each link has its own position. So all links carry the same bytes in the same
 * order. This class decodes and copies nothing.
 *
 * <p>Frames in the ring cannot be overtaken, so with an order the ring is kept short: frames stay in the queue while
 * any link is {@value #LEAD} frames behind, and all links send at the rate of the slowest. But a link whose path has
 * made no progress for 50 ms, because its log is full or its in-flight window closed, is stalled: its receiver
 * computes or has ended. It delays neither the other links nor the caller, up to the ring's capacity, until it makes
 * progress again. Without an order waiting has no benefit, and no link delays another. If receivers can request
 * missing frames, frames no longer wait for a link that has been stalled for a given patience: they leave the queue
 * and are recorded, so other receivers can request them, and a caller that needs a frame's memory skips the link.
 *
 * <p>Links share the node's budget in round-robin order.
 *
 * <p>Used by one thread. Allocates nothing after construction.
 */
public final class FanOut {
    /** Number of frames that a link has yet to send from the ring at which no more frames leave the queue. */
    static final int LEAD = 2;

    private final Watching watching;
    private final boolean ordered;
    private NanoClock clock = () -> 0;
    private final int longest;
    private Branch[] branches = new Branch[0];

    /** Number of links that were ever added. */
    private int opened;

    private FinishedFrames record = (buffer, length) -> {};
    private long patienceNs;

    /** Receives the label of each link that skips frames; null if no link may skip any. */
    private Consumer<String> skipped;

    private final OutFrame[] ring;
    private final int mask;
    private final WaitingFrames queue;
    private int first;
    private long tail;

    /** Number of bytes of all frames that have left the queue. */
    private long finishedBytes;

    /** Starts to watch the link of a hop. */
    @FunctionalInterface
    public interface Watching {
        /**
         * Called once for each link.
         *
         * @param link    link that was just opened
         * @param backlog frames that wait for the link
         * @return its watch
         */
        LinkWatch watch(Link link, Backlog backlog);
    }

    /** Receives each frame once, in the order in which all links send them. */
    @FunctionalInterface
    public interface FinishedFrames {
        /**
         * Called when a frame has been finished, before any link sends it.
         *
         * @param buffer buffer that holds the frame from index 0; it is valid during the call only
         * @param length length in bytes
         */
        void onFinished(DirectBuffer buffer, int length);
    }

    /**
     * Creates an empty fan-out that sends frames in order of arrival.
     *
     * @param links    one per outgoing hop; if empty, {@link #flush} finishes frames and sends them nowhere
     * @param capacity maximum number of frames that wait or are being sent; rounded up to a power of two
     */
    public FanOut(Link[] links, int capacity) {
        this(links, null, false, capacity, 0, 0);
    }

    /**
     * Creates an empty fan-out.
     *
     * @param links    one per outgoing hop; if empty, {@link #flush} finishes frames and sends them nowhere
     * @param watching creates the watch of a link, which decides when the link may send; null if links may always send
     * @param ordered  whether frames wait where they can be overtaken until some link may send; if not, they leave the
     *                 queue at once. Requires watched links
     * @param capacity maximum number of frames that wait or are being sent; rounded up to a power of two
     * @param lanes    numbers that fences may close, from 0
     * @param longest  length of the longest frame, in bytes
     */
    public FanOut(Link[] links, Watching watching, boolean ordered, int capacity, int lanes, int longest) {
        this.watching = watching;
        this.ordered = ordered;
        this.longest = longest;
        for (Link link : links) {
            add(link);
        }
        int size = Math.max(2, Integer.highestOneBit(Math.max(1, capacity - 1)) << 1);
        this.ring = new OutFrame[size];
        this.mask = size - 1;
        this.queue = new WaitingFrames(size, lanes);
    }

    /**
     * Passes every later finished frame to a recorder as well.
     *
     * @param by called for each frame
     */
    public void record(FinishedFrames by) {
        record = by;
    }

    /**
     * Lets callers skip links whose receivers make no progress. The caller must notify such receivers by other means
     * that they miss frames. Requires watched links.
     *
     * @param forNs    how long a receiver has to take nothing, in nanoseconds
     * @param listener receives the label of each link that misses frames, once until the link accepts a frame
     */
    public void skipStanding(long forNs, Consumer<String> listener) {
        patienceNs = forNs;
        skipped = listener;
    }

    /**
     * Skips the frames of links that were stalled for longer than the patience, for a caller that needs their memory.
     *
     * @return whether such a link was skipped, so that frames may be idle now
     */
    public boolean skipStalled() {
        boolean found = false;
        for (Branch branch : branches) {
            if (!isSkippable(branch)) {
                continue;
            }
            found = true;
            branch.stepAside();
            if (branch.leaveOut(tail, ring)) {
                skipped.accept(branch.outlet().link().label());
            }
        }
        return found;
    }

    /**
     * Adds a link, which starts with the next finished frame.
     *
     * @param link    link that was just opened
     * @return number of the link: links are counted as they are added
     */
    public int add(Link link) {
        Branch branch = new Branch(opened++, link, tail, finishedBytes);
        if (null != watching) {
            branch.outlet().watch(watching.watch(link, new BranchBacklog(branch)));
            clock = branch.outlet().watch().clock();
        }
        branches = Arrays.copyOf(branches, branches.length + 1);
        branches[branches.length - 1] = branch;
        return branch.number();
    }

    /**
     * Adds a finished frame after all others.
     *
     * @param frame  an idle frame, written from index 0 of its buffer
     * @param length bytes of the frame
     * @throws IllegalStateException if the frame is still being sent, or more frames wait than the capacity allows:
     *                               both are errors of the caller's accounting
     */
    public void enqueue(OutFrame frame, int length) {
        frame.length(length);
        admit(frame);
        queue.put(frame, BarrierQueue.NO_LANE, Long.MAX_VALUE);
    }

    /**
     * Adds a frame to the queue. It is finished when it leaves the queue.
     *
     * @param frame    an idle frame that can be finished
     * @param lane     lane that it belongs to, or {@link BarrierQueue#NO_LANE}
     * @param priority frames with a smaller one are sent sooner, those with equal ones in order of arrival
     * @param bytes    approximate length, for monitoring
     * @throws IllegalStateException as {@link #enqueue(OutFrame, int)} does
     */
    public void enqueue(OutFrame frame, int lane, long priority, int bytes) {
        frame.length(bytes);
        admit(frame);
        queue.put(frame, lane, priority);
    }

    /**
     * Queues a frame behind all frames of its lane that wait, and before all later ones.
     *
     * @param frame an idle frame that can be finished
     * @param lane  lane that it closes
     * @throws IllegalStateException as {@link #enqueue(OutFrame, int)} does
     */
    public void enqueueFence(OutFrame frame, int lane) {
        admit(frame);
        queue.fence(frame, lane);
    }

    /** Accepts every frame, even before the first link is opened; later links continue the numbering. */
    private void admit(OutFrame frame) {
        if (!frame.isIdle()) {
            throw new IllegalStateException("the frame is still being sent");
        }
        if (backlog() > mask) {
            throw new IllegalStateException("more than " + ring.length + " frames wait to be sent");
        }
        frame.queued(clock.nanoTime());
    }

    /**
     * Offers frames to their links until each is up to date or refuses, or its budget is used up.
     *
     * @return frames sent, counting one for each link that accepted the frame; 0 if no frame waits or no link accepts
     *     one
     */
    public int flush() {
        int sent = offer();
        while (isTurn() && next()) {
            sent += offer();
        }
        for (Branch branch : branches) {
            branch.outlet().look();
        }
        return sent;
    }

    /**
     * Closes and forgets a link whose receivers have ended or moved, and for which versions would otherwise wait
     * forever. Frames in its log are still delivered. Closing twice is harmless.
     *
     * @param link number of the link
     */
    public void close(int link) {
        for (Branch branch : branches) {
            if (branch.number() == link) {
                branch.skipTo(tail, ring);
                branch.outlet().close();
                branches = branch.without(branches);
                first = 0;
            }
        }
    }

    /** Whether a frame may leave the queue: some link is up to date and can accept it, and no link is far behind. */
    private boolean isTurn() {
        if (0 == queue.size()) {
            return false;
        }
        if (!ordered) {
            return true;
        }
        boolean room = 0 == branches.length;
        for (Branch branch : branches) {
            long behind = tail - branch.position();
            if (behind >= LEAD && !branch.outlet().isStalled(Branch.STALL_NS)) {
                return false;
            }
            room |= 0 == behind && branch.takes(longest) || branch.isAside() || isSkippable(branch);
        }
        return room;
    }

    /** Whether a caller that needs memory would skip a link: frames that stay in the queue could not be requested. */
    private boolean isSkippable(Branch branch) {
        return null != skipped && branch.outlet().isStalled(patienceNs);
    }

    private boolean next() {
        OutFrame frame = queue.next();
        if (null == frame) {
            return false;
        }
        frame.finish(branches.length);
        record.onFinished(frame.buffer(), frame.length());
        finishedBytes += frame.length();
        ring[(int) tail & mask] = frame;
        tail++;
        return true;
    }

    private int offer() {
        int sent = 0;
        int from = first;
        for (int i = 0; i < branches.length; i++) {
            int at = (from + i) % branches.length;
            int frames = offer(branches[at]);
            if (frames > 0) {
                first = (at + 1) % branches.length;
            }
            sent += frames;
        }
        return sent;
    }

    private int offer(Branch branch) {
        int sent = 0;
        while (branch.position() < tail && branch.send(ring[(int) branch.position() & mask])) {
            sent++;
        }
        return sent;
    }

    /** The watches of the links, in the links' order; empty if they are not watched. */
    public List<LinkWatch> watches() {
        return Arrays.stream(branches)
                .map(branch -> branch.outlet().watch())
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * Number of frames that may be sent early on every link: see {@link Pacing#spare}.
     *
     * @return 0 if a frame waits, a budget is in use, or the links are not watched
     */
    public int spare() {
        if (0 != backlog() || null == watching || 0 == branches.length) {
            return 0;
        }
        int frames = Integer.MAX_VALUE;
        for (Branch branch : branches) {
            frames = Math.min(frames, branch.outlet().spare(longest));
        }
        return frames;
    }

    /**
     * Number of frames that the slowest link has yet to send.
     *
     * @return 0 when every link is up to date and nothing waits
     */
    public int backlog() {
        return queue.size() + (int) (tail - slowest());
    }

    private long slowest() {
        long slowest = tail;
        for (Branch branch : branches) {
            slowest = Math.min(slowest, branch.position());
        }
        return slowest;
    }

    /** The backlog of one link: the common queue, and the ring after the link's position. */
    private final class BranchBacklog implements Backlog {
        private final Branch branch;

        BranchBacklog(Branch branch) {
            this.branch = branch;
        }

        @Override
        public int frames() {
            return branch.isClosed() ? 0 : queue.size() + (int) (tail - branch.position());
        }

        @Override
        public long bytes() {
            return queue.bytes() + finishedBytes - branch.taken();
        }

        @Override
        public long oldestNs() {
            long oldestNs = queue.oldestNs();
            for (long position = branch.position(); position < tail; position++) {
                oldestNs = Math.min(oldestNs, ring[(int) position & mask].sinceNs());
            }
            return oldestNs;
        }
    }
}
