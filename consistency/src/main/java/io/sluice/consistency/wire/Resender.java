package io.sluice.consistency.wire;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.membership.NodeContext;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;

/**
 * What one receiver has asked to be sent again and has not been sent yet: of each strand the frames from one on, in
 * the order of the log, up to the end that the log had when the receiver last asked. What is on its way is not sent
 * twice. A relay is told where to go on if all workers have what it asks for.
 *
 * <p>A link may lead nowhere: a path that was broken for long loses what was under way, and the link goes on behind it;
 * or datagrams of a stranger have taken the place of frames. What has been sent again, and is still asked for after a
 * patience in which nothing of all that has come, though a receiver is connected, goes by another link, under a new
 * session. Each further one in vain takes twice as long.
 *
 * <p>Broadcasts are sent again by a link that carries nothing else (decision 26). Pushes have one link: what is sent
 * again comes before anything new, of all tables, for what loses frames of one mostly loses those of others
 * (decision 41).
 *
 * <p>Used by one thread. Allocates nothing after construction, but for an error, or another link.
 */
public final class Resender {
    /** The first patience: every ask for the same frame in less time changes nothing. */
    public static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    /** The longest patience, however often another link was in vain. */
    public static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(16);

    private static final long NOT_ASKED = Long.MAX_VALUE;
    private static final long NEVER = -1;

    private final FrameLog log;
    private final Supplier<FrameWriter> writer;
    private final short concerned;
    private final boolean ofPushes;
    private final Way way;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);

    /** By strand, the first entry that has yet to be sent. */
    private final long[] from;

    /** By strand, the entries that were sent: from the first up to, and without, the second. */
    private final long[] since;

    private final long[] sent;

    /** By strand, the entry that was asked for last, and since when it has been due. */
    private final long[] asked;

    private final long[] dueNs;

    /** By strand, whether the receiver is to be told first that this link goes on at {@link #from}. */
    private final boolean[] telling;

    private int told;
    private long next;
    private long until;
    private long patienceNs = PATIENCE_NS;

    /** By which frames reach the receiver. */
    public interface Way {
        /** Sends a frame if there is room, and a budget, for it. */
        boolean offer(DirectBuffer buffer, int offset, int length);

        /** Whether the link has a receiver. */
        boolean isConnected();

        /** Goes on by another link, under a new session. */
        void reopen();

        /** The receiver, as a sentence about it says, cannot have what it asks for. */
        void gone(String sentence);
    }

    /**
     * Sends nothing so far.
     *
     * @param log       to send from
     * @param writer    of this node, set to the receiver
     * @param concerned {@link FrameWriter#TO_TRAINER}, {@link FrameWriter#TO_RELAY} or {@link FrameWriter#PUSHES}
     * @param way       to the receiver
     */
    public Resender(FrameLog log, Supplier<FrameWriter> writer, short concerned, Way way) {
        this.log = log;
        this.writer = writer;
        this.concerned = concerned;
        this.ofPushes = FrameWriter.PUSHES == concerned;
        this.way = way;
        this.from = new long[log.strands()];
        this.since = new long[log.strands()];
        this.sent = new long[log.strands()];
        this.asked = new long[log.strands()];
        this.dueNs = new long[log.strands()];
        this.telling = new boolean[log.strands()];
        Arrays.fill(from, NOT_ASKED);
        Arrays.fill(asked, NEVER);
    }

    /**
     * Takes a request; one for what is on its way changes nothing.
     *
     * @param strand   number of it
     * @param clock    of the first frame missing, 0 or more
     * @param sequence of that frame, 0 or more
     * @param nowNs    the time
     */
    public void ask(int strand, long clock, int sequence, long nowNs) {
        if (!isSending()) {
            rest();
        }
        long entry = log.find(strand, clock, sequence);
        if (FrameLog.GONE == entry) {
            boolean isHad = clock <= log.released(log.table(strand));
            if (!isHad && clock <= log.givenUpClock()) {
                fail(strand, "frame " + sequence + " of clock " + clock);
            }
            if (!isHad || ofPushes) {
                return;
            }
            entry = log.first();
            if (FrameWriter.TO_RELAY == concerned) {
                tell(strand);
            }
        }
        follow(strand, entry, nowNs);
        if (ofPushes && log.end() == entry) {
            return; // it has yet to be pushed
        }
        if (isSent(strand, entry)) {
            if (nowNs - dueNs[strand] > patienceNs && way.isConnected()) {
                reopen(strand, nowNs);
            } else if (ofPushes) {
                return; // what was pushed since has gone the same way
            } else {
                entry = sent[strand];
            }
        }
        sendFrom(strand, entry);
        for (int other = 0; ofPushes && other < from.length; other++) {
            if (from[other] > entry) {
                sendFrom(other, isSent(other, entry) ? sent[other] : entry);
            }
        }
        next = next >= until ? entry : Math.min(next, entry);
        until = log.end();
    }

    private boolean isSent(int strand, long entry) {
        return since[strand] <= entry && entry < sent[strand];
    }

    private void sendFrom(int strand, long entry) {
        if (entry != sent[strand]) {
            since[strand] = entry;
        }
        sent[strand] = entry;
        from[strand] = entry;
    }

    /** A link that brings anything at all is only slow: all that is due has time again. */
    private void follow(int strand, long entry, long nowNs) {
        if (entry > asked[strand] && isSent(strand, asked[strand])) {
            Arrays.fill(dueNs, nowNs);
            patienceNs = PATIENCE_NS;
        }
        if (entry != asked[strand] || !isSent(strand, entry)) {
            dueNs[strand] = nowNs;
        }
        asked[strand] = entry;
    }

    /** What else was under way may be lost, too, or it comes yet: the receiver knows, and asks. */
    private void reopen(int strand, long nowNs) {
        way.reopen();
        patienceNs = Math.min(LONGEST_NS, 2 * patienceNs);
        Arrays.fill(dueNs, nowNs);
        Arrays.fill(since, 0);
        Arrays.fill(sent, 0);
        rest();
        if (ofPushes) {
            tell(strand);
        }
    }

    /** Where the receiver has yet to be told that it may go on stays known. */
    private void rest() {
        for (int strand = 0; strand < from.length; strand++) {
            from[strand] = telling[strand] ? from[strand] : NOT_ASKED;
        }
        next = until;
    }

    private void tell(int strand) {
        if (!telling[strand]) {
            telling[strand] = true;
            told++;
        }
    }

    /** Nothing goes out behind a gap: it would only be in the way of the error. */
    private void fail(int strand, String missing) {
        tellNothing();
        rest();
        way.gone("misses " + missing + " of table " + log.table(strand) + ", of which "
                + writer.get().name() + " has what comes from frame " + log.sequenceFrom(strand, log.first())
                + " of clock " + log.clockFrom(strand, log.first()) + " on: the " + log.capacity()
                + " bytes that it keeps were too few for what it has sent since; raise "
                + NodeContext.RETAIN_PROPERTY);
    }

    private void tellNothing() {
        Arrays.fill(telling, false);
        told = 0;
    }

    /** Nothing is asked for: the receiver is another, or begins anew. */
    public void forget() {
        tellNothing();
        until = 0;
        rest();
        Arrays.fill(since, 0);
        Arrays.fill(sent, 0);
        Arrays.fill(asked, NEVER);
        patienceNs = PATIENCE_NS;
    }

    /** The receiver begins anew, by another link: it lacks all behind a clock. */
    public void sendBehind(long clock) {
        forget();
        next = log.end();
        for (int strand = 0; strand < from.length; strand++) {
            sendFrom(strand, log.firstBehind(strand, clock));
            next = Math.min(next, from[strand]);
        }
        until = log.end();
    }

    /** Whether something has yet to be sent. */
    public boolean isSending() {
        return next < until;
    }

    /**
     * Sends what there is room for.
     *
     * @param limit most frames to send
     * @param nowNs the time
     * @return the number of data frames and marks
     */
    public int work(int limit, long nowNs) {
        if (next < until && next < log.first()) {
            goOnAtFirst();
        }
        if (0 != told && !tellAll()) {
            return 0;
        }
        int frames = 0;
        while (next < until && frames < limit) {
            int strand = log.strand(next);
            if (next >= from[strand]) {
                if (!way.offer(log.buffer(), log.offset(next), log.length(next))) {
                    break;
                }
                sent[strand] = next + 1;
                from[strand] = next + 1;
                frames++;
            }
            next++;
        }
        if (ofPushes && frames > 0) {
            Arrays.fill(dueNs, nowNs); // all that is missing is among what goes out now
        }
        return frames;
    }

    /** Entries that were still to be sent have been released, or given up. */
    private void goOnAtFirst() {
        for (int strand = 0; strand < from.length; strand++) {
            if (from[strand] < log.first()) {
                if (Math.max(next, from[strand]) < log.givenUp()) {
                    fail(strand, "frames from number " + from[strand] + " on");
                    return;
                }
                from[strand] = log.first();
                if (FrameWriter.TO_RELAY == concerned) {
                    tell(strand);
                }
            }
        }
        next = log.first();
    }

    private boolean tellAll() {
        for (int strand = 0; strand < telling.length; strand++) {
            if (telling[strand]) {
                long clock = log.clockFrom(strand, from[strand]);
                int sequence = log.sequenceFrom(strand, from[strand]);
                int length = writer.get()
                        .resend(small.buffer(), log.table(strand), log.way(strand), clock, sequence, concerned);
                if (!way.offer(small.buffer(), 0, length)) {
                    return false;
                }
                telling[strand] = false;
                told--;
            }
        }
        return true;
    }
}
