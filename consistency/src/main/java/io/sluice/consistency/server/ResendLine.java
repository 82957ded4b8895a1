package io.sluice.consistency.server;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.membership.Failure;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Pacing;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;

/**
 * What one receiver has asked to be sent again and has not been sent yet: of each table that it asked for, the frames
 * from one on, in the order of the log, up to the end that the log had when it last asked. What comes later reaches
 * it by its tree, or it asks again.
 *
 * <p>Used by one thread. Allocates nothing after construction, but for an error.
 */
final class ResendLine {
    /** What was sent so long ago, and is asked for again, was lost on the way. */
    static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

    private static final long NOT_ASKED = Long.MAX_VALUE;
    private static final int MAX_ERROR_FRAME = 1_024;

    private final Link link;
    private final Pacing pacing;
    private final BroadcastLog log;
    private final FrameWriter writer;
    private final boolean toRelay;

    /** By table, the first entry to send. */
    private final long[] from;

    /** By table, the entry behind the last that was sent. */
    private final long[] sent;

    /** By table, whether the receiver is to be told that it may go on at {@link #from}. */
    private final boolean[] telling;

    private int told;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private long next;
    private long until;
    private long sentNs;
    private long activeNs;
    private FrameBuffer error;
    private int errorLength;

    /**
     * Makes an empty line.
     *
     * @param link    just opened
     * @param pacing  when it may send
     * @param log     to send from
     * @param tables  that there are
     * @param writer  of this server
     * @param toRelay whether the receiver passes on what it gets, and so has to be told what it need not wait for
     */
    ResendLine(Link link, Pacing pacing, BroadcastLog log, int tables, FrameWriter writer, boolean toRelay) {
        this.link = link;
        this.pacing = pacing;
        this.log = log;
        this.writer = writer;
        this.toRelay = toRelay;
        this.from = new long[tables];
        this.sent = new long[tables];
        this.telling = new boolean[tables];
        Arrays.fill(from, NOT_ASKED);
    }

    Link link() {
        return link;
    }

    /** Whether nothing was to be sent for so long. */
    boolean isIdle(long nowNs, long forNs) {
        return next >= until && 0 == told && null == error && nowNs - activeNs > forNs;
    }

    /** Takes a request; one for what is on its way changes nothing. */
    void ask(int table, long clock, int sequence, long nowNs) {
        activeNs = nowNs;
        if (next >= until) {
            rest();
        }
        long entry = log.find(table, clock, sequence);
        if (BroadcastLog.GONE == entry) {
            if (clock > log.released(table)) {
                fail(table, "frame " + sequence + " of clock " + clock);
                return;
            }
            entry = log.first();
            tell(table);
        }
        if (entry < sent[table] && nowNs - sentNs <= AGAIN_NS) {
            entry = sent[table];
        }
        sent[table] = entry;
        from[table] = entry;
        next = next >= until ? entry : Math.min(next, entry);
        until = log.end();
    }

    private void rest() {
        Arrays.fill(from, NOT_ASKED);
        next = until;
    }

    private void tell(int table) {
        if (toRelay && !telling[table]) {
            telling[table] = true;
            told++;
        }
    }

    /** Nothing goes out behind a gap: it would only be in the way of the error. */
    private void fail(int table, String missing) {
        rest();
        error = new FrameBuffer(MAX_ERROR_FRAME);
        String message = "misses " + missing + " of table " + table + ", of which " + writer.name()
                + " has what comes from frame " + log.sequenceFrom(table, log.first()) + " of clock "
                + log.clockFrom(table, log.first()) + " on: the " + log.capacity()
                + " bytes that it keeps were too few for what it has broadcast since; raise "
                + ServerContext.RETAIN_PROPERTY;
        errorLength = writer.error(error.buffer(), Failure.PEER_FAILED, message);
    }

    /** Sends while there is something to send and room; returns the number of data frames and marks. */
    int work(long nowNs) {
        if (null != error && offer(error.buffer(), 0, errorLength)) {
            error = null;
        }
        if (next < until && next < log.first()) {
            goOnAtFirst();
        }
        if (0 != told && !tellAll()) {
            return 0;
        }
        int frames = 0;
        while (next < until) {
            int table = log.table(next);
            if (next >= from[table]) {
                if (!offer(log.buffer(), log.offset(next), log.length(next))) {
                    break;
                }
                sent[table] = next + 1;
                frames++;
            }
            next++;
        }
        if (frames > 0) {
            sentNs = nowNs;
            activeNs = nowNs;
        }
        return frames;
    }

    /** Entries that were still to be sent have been released, or given up. */
    private void goOnAtFirst() {
        for (int table = 0; table < from.length; table++) {
            if (from[table] < log.first()) {
                if (Math.max(next, from[table]) < log.givenUp()) {
                    fail(table, "frames from number " + from[table] + " on");
                    return;
                }
                from[table] = log.first();
                tell(table);
            }
        }
        next = log.first();
    }

    private boolean tellAll() {
        for (int table = 0; table < telling.length; table++) {
            if (telling[table]) {
                long clock = log.clockFrom(table, from[table]);
                int sequence = log.sequenceFrom(table, from[table]);
                if (!offer(small.buffer(), 0, writer.resend(small.buffer(), table, clock, sequence, true))) {
                    return false;
                }
                telling[table] = false;
                told--;
            }
        }
        return true;
    }

    private boolean offer(DirectBuffer buffer, int offset, int length) {
        return pacing.offer(buffer, offset, length);
    }
}
