package io.sluice.consistency.server;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.Pacing;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;

/**
 * The frames that one receiver has requested and not received yet: of each requested stream, all frames from the first
 * missing one, in the order of the log, up to the end of the log at the last request. Later frames reach the receiver
 * by its tree, or it requests them.
 *
 * <p>A long interruption of the path loses the frames in flight on a link. The link continues with later frames, which
 * the receiver defers. Only a new link can carry the lost frames.
 *
 * <p>Used by one thread. Allocates nothing after construction, except for an error or a new link.
 */
final class ResendLine {
    /**
     * A sent frame counts as lost if the receiver still requests it after this time and no other frame has arrived
     * since.
     */
    static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

    /** Maximum number of frames to send before other lines and current broadcasts have their turn. */
    static final int MOST_AT_ONCE = 2;

    private static final long NOT_ASKED = Long.MAX_VALUE;
    private static final int MAX_ERROR_FRAME = 1_024;

    private final Supplier<Link> opening;
    private final Function<Link, Pacing> paced;
    private final FrameLog log;
    private final FrameWriter writer;
    private final boolean toRelay;

    /** For each stream, the first entry that has yet to be sent. */
    private final long[] from;

    /** For each stream, the entry after the last sent one. */
    private final long[] sent;

    /** For each stream, the entry that was requested last. */
    private final long[] asked;

    /** For each stream, since when the requested entry has been due. */
    private final long[] dueNs;

    /** For each stream, whether to notify the receiver that it may continue at {@link #from}. */
    private final boolean[] announcing;

    private int notices;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private Link link;
    private Pacing pacing;
    private long next;
    private long until;
    private long activeNs;
    private FrameBuffer error;
    private int errorLength;

    /**
     * Opens an empty line.
     *
     * @param opening opens a link to the receiver
     * @param paced   limits when the link may send
     * @param log     log to send from
     * @param writer  writer of this server
     * @param toRelay whether the receiver is a relay, which needs a notice of frames for which it need not wait
     */
    ResendLine(
            Supplier<Link> opening, Function<Link, Pacing> paced, FrameLog log, FrameWriter writer, boolean toRelay) {
        this.opening = opening;
        this.paced = paced;
        this.log = log;
        this.writer = writer;
        this.toRelay = toRelay;
        this.from = new long[log.tableStreams()];
        this.sent = new long[log.tableStreams()];
        this.asked = new long[log.tableStreams()];
        this.dueNs = new long[log.tableStreams()];
        this.announcing = new boolean[log.tableStreams()];
        Arrays.fill(from, NOT_ASKED);
        open();
    }

    private void open() {
        link = opening.get();
        pacing = paced.apply(link);
    }

    Link link() {
        return link;
    }

    /**
     * Whether no frame was requested or sent for the given time. A receiver that still misses frames repeats its
     * request.
     */
    boolean isIdle(long nowNs, long forNs) {
        return nowNs - activeNs > forNs;
    }

    /** Processes a request; a request for frames in flight has no effect. */
    void ask(int tableStream, long clock, int sequence, long nowNs) {
        activeNs = nowNs;
        if (next >= until) {
            rest();
        }
        long entry = log.find(tableStream, clock, sequence);
        if (FrameLog.GONE == entry) {
            if (clock > log.released(log.table(tableStream))) {
                fail(tableStream, "frame " + sequence + " of clock " + clock);
                return;
            }
            entry = log.first();
            announce(tableStream);
        }
        follow(tableStream, entry, nowNs);
        if (entry < sent[tableStream]) {
            if (nowNs - dueNs[tableStream] <= AGAIN_NS) {
                entry = sent[tableStream];
            } else {
                reopen();
            }
        }
        sent[tableStream] = entry;
        from[tableStream] = entry;
        next = next >= until ? entry : Math.min(next, entry);
        until = log.end();
    }

    /** A link that delivers any frame is only slow: restarts the time of all due frames. */
    private void follow(int tableStream, long entry, long nowNs) {
        if (entry > asked[tableStream] && asked[tableStream] < sent[tableStream]) {
            Arrays.fill(dueNs, nowNs);
        }
        if (entry != asked[tableStream] || entry >= sent[tableStream]) {
            dueNs[tableStream] = nowNs;
        }
        asked[tableStream] = entry;
    }

    /**
     * Opens a new link. Frames in flight on the old one may be lost or may still arrive; the receiver requests the lost
     * ones.
     */
    private void reopen() {
        link.close();
        open();
        Arrays.fill(sent, 0);
        rest();
    }

    /** Forgets requests, except where the receiver still needs the notice that it may continue. */
    private void rest() {
        for (int tableStream = 0; tableStream < from.length; tableStream++) {
            from[tableStream] = announcing[tableStream] ? from[tableStream] : NOT_ASKED;
        }
        next = until;
    }

    private void announce(int tableStream) {
        if (toRelay && !announcing[tableStream]) {
            announcing[tableStream] = true;
            notices++;
        }
    }

    /** Ends all requests: frames after a gap would only delay the error. */
    private void fail(int tableStream, String missing) {
        Arrays.fill(announcing, false);
        notices = 0;
        rest();
        error = new FrameBuffer(MAX_ERROR_FRAME);
        String message = "misses " + missing + " of table " + log.table(tableStream) + ", but " + writer.name()
                + " retains frames only from frame " + log.sequenceFrom(tableStream, log.first()) + " of clock "
                + log.clockFrom(tableStream, log.first()) + " on: its log of " + log.capacity()
                + " bytes is too small for the broadcasts since then; raise " + NodeContext.RETAIN_PROPERTY;
        errorLength = writer.error(error.buffer(), Failure.PEER_FAILED, message);
    }

    /**
     * Sends at most {@value #MOST_AT_ONCE} frames while the link accepts them; returns the number of data frames and
     * round commits.
     */
    int work(long nowNs) {
        if (null != error && offer(error.buffer(), 0, errorLength)) {
            error = null;
        }
        if (next < until && next < log.first()) {
            continueAtFirst();
        }
        if (0 != notices && !announceAll()) {
            return 0;
        }
        int frames = 0;
        while (next < until && frames < MOST_AT_ONCE) {
            int tableStream = log.tableStream(next);
            if (next >= from[tableStream]) {
                if (!offer(log.buffer(), log.offset(next), log.length(next))) {
                    break;
                }
                sent[tableStream] = next + 1;
                from[tableStream] = next + 1;
                frames++;
            }
            next++;
        }
        if (frames > 0) {
            activeNs = nowNs;
        }
        return frames;
    }

    /** Continues at the first entry of the log, because unsent entries were released or given up. */
    private void continueAtFirst() {
        for (int tableStream = 0; tableStream < from.length; tableStream++) {
            if (from[tableStream] < log.first()) {
                if (Math.max(next, from[tableStream]) < log.givenUp()) {
                    fail(tableStream, "frames from number " + from[tableStream] + " on");
                    return;
                }
                from[tableStream] = log.first();
                announce(tableStream);
            }
        }
        next = log.first();
    }

    private boolean announceAll() {
        for (int tableStream = 0; tableStream < announcing.length; tableStream++) {
            if (announcing[tableStream]) {
                long clock = log.clockFrom(tableStream, from[tableStream]);
                int sequence = log.sequenceFrom(tableStream, from[tableStream]);
                int length = writer.resend(
                        small.buffer(),
                        log.table(tableStream),
                        log.route(tableStream),
                        clock,
                        sequence,
                        FrameWriter.TO_RELAY);
                if (!offer(small.buffer(), 0, length)) {
                    return false;
                }
                announcing[tableStream] = false;
                notices--;
            }
        }
        return true;
    }

    private boolean offer(DirectBuffer buffer, int offset, int length) {
        return pacing.offer(buffer, offset, length);
    }
}
