package io.sluice.consistency.server;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Resender;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.Tally;
import io.sluice.messaging.outbox.Pacing;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Sends to receivers that miss broadcasts what they ask for, out of the log: each on a link of its own, opened when it
 * first asks and closed when it has asked for nothing for long (decision 26).
 *
 * <p>Used by one thread.
 */
final class Resends {
    /** How long a link is kept for a receiver that neither asks nor takes anything: perhaps it is gone for good. */
    static final long KEEP_NS = TimeUnit.SECONDS.toNanos(10);

    /** Frames that are sent before others have their turn: other lines, and what is broadcast now. */
    static final int MOST_AT_ONCE = 2;

    private static final int MAX_ERROR_FRAME = 1_024;

    private final FrameLog log;
    private final Opening opening;
    private final Function<Link, Pacing> paced;
    private final NanoClock clock;
    private final FrameWriter writer;
    private final Tally resent;

    /** By worker, that to its trainer and that to its relay; null where nothing is asked for. */
    private final Line[] lines;

    private int open;

    /** Which line is served first. */
    private int first;

    /** Opens a link to a worker's trainer, or to its relay. */
    interface Opening {
        /** Opens one, which need not be connected yet. */
        Link open(int worker, boolean relay);
    }

    /**
     * Makes lines for all workers, none of them open.
     *
     * @param log     to send from
     * @param opening opens links
     * @param paced   says when they may send
     * @param clock   by which links are closed
     * @param writer  of this server, used for nothing else: what it writes here is for one worker each
     * @param workers that there are
     * @param resent  counts the frames
     */
    Resends(
            FrameLog log,
            Opening opening,
            Function<Link, Pacing> paced,
            NanoClock clock,
            FrameWriter writer,
            int workers,
            Tally resent) {
        this.log = log;
        this.opening = opening;
        this.paced = paced;
        this.clock = clock;
        this.writer = writer;
        this.resent = resent;
        this.lines = new Line[2 * workers];
    }

    /** The link to one receiver, and what has yet to go there. */
    private final class Line implements Resender.Way {
        private final int worker;
        private final boolean relay;
        private final Resender resender;
        private Link link;
        private Pacing pacing;
        private long activeNs;
        private FrameBuffer error;
        private int errorLength;

        Line(int worker, boolean relay) {
            this.worker = worker;
            this.relay = relay;
            short concerned = relay ? FrameWriter.TO_RELAY : FrameWriter.TO_TRAINER;
            this.resender = new Resender(log, () -> writer.toWorker(worker), concerned, this);
            open();
        }

        private void open() {
            link = opening.open(worker, relay);
            pacing = paced.apply(link);
        }

        @Override
        public boolean offer(DirectBuffer buffer, int offset, int length) {
            return pacing.offer(buffer, offset, length);
        }

        @Override
        public boolean isConnected() {
            return link.isConnected();
        }

        @Override
        public void reopen() {
            link.close();
            open();
        }

        @Override
        public void gone(String sentence) {
            error = new FrameBuffer(MAX_ERROR_FRAME);
            errorLength = writer.toWorker(worker).error(error.buffer(), Failure.PEER_FAILED, sentence);
        }

        int work(long nowNs) {
            if (null != error && offer(error.buffer(), 0, errorLength)) {
                error = null;
            }
            int frames = resender.work(MOST_AT_ONCE, nowNs);
            activeNs = frames > 0 ? nowNs : activeNs;
            return frames;
        }
    }

    /**
     * Takes a request.
     *
     * @param worker   that asks
     * @param relay    whether for its relay, or for its trainer
     * @param strand   of a table that has slices here
     * @param version  of the first frame missing, 0 or more
     * @param sequence of that frame, 0 or more
     */
    void ask(int worker, boolean relay, int strand, long version, int sequence) {
        int at = 2 * worker + (relay ? 1 : 0);
        if (null == lines[at] && log.end() == log.find(strand, version, sequence)) {
            return; // it has waited for long, but so has everybody
        }
        if (null == lines[at]) {
            lines[at] = new Line(worker, relay);
            open++;
        }
        lines[at].activeNs = clock.nanoTime();
        lines[at].resender.ask(strand, version, sequence, lines[at].activeNs);
    }

    /**
     * Sends what there is room for, on each line a few frames only. Begins behind the line that sent last, so that all
     * get their share of a budget. Returns the number of frames.
     */
    int work(long nowNs) {
        if (0 == open) {
            return 0;
        }
        int frames = 0;
        int from = first;
        for (int i = 0; i < lines.length; i++) {
            int at = (from + i) % lines.length;
            if (null == lines[at]) {
                continue;
            }
            int sent = lines[at].work(nowNs);
            if (sent > 0) {
                first = (at + 1) % lines.length;
            }
            frames += sent;
            if (nowNs - lines[at].activeNs > KEEP_NS) {
                close(at);
            }
        }
        resent.add(frames);
        return frames;
    }

    /** Sends nothing more to a worker that is gone. */
    void forget(int worker) {
        for (int i = 2 * worker; i < 2 * worker + 2; i++) {
            if (null != lines[i]) {
                close(i);
            }
        }
    }

    /** Frames sent so far. */
    long frames() {
        return resent.get();
    }

    private void close(int at) {
        lines[at].link.close();
        lines[at] = null;
        open--;
    }
}
