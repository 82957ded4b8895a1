package io.sluice.consistency.server;

import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.Pacing;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.agrona.concurrent.NanoClock;

/**
 * Repeats frames from the log to receivers that miss broadcasts. Each receiver has a link of its own, which is opened
 * at its first request and closed when it has requested nothing for a while (decision 7).
 *
 * <p>Used by one thread.
 */
final class Resends {
    /** How long a link stays open for a receiver that neither requests nor accepts frames, and so may have ended. */
    static final long KEEP_NS = TimeUnit.SECONDS.toNanos(10);

    private final FrameLog log;
    private final Opening opening;
    private final Function<Link, Pacing> paced;
    private final NanoClock clock;
    private final FrameWriter writer;
    private final SingleWriterCounter resent;

    /** For each worker, the line to its trainer and the line to its relay; null without requests. */
    private final ResendLine[] lines;

    private int open;

    /** Number of the line that is served first. */
    private int first;

    /** Opens a link to a worker's trainer, or to its relay. */
    interface Opening {
        /** Opens a link, which need not be connected yet. */
        Link open(int worker, boolean relay);
    }

    /**
     * Prepares lines for all workers without opening them.
     *
     * @param log     log to send from
     * @param opening opens links
     * @param paced   limits when the links may send
     * @param clock   monotonic clock that measures idle times
     * @param writer  writer of this server, for this class alone: each message is for one worker
     * @param workers number of workers
     * @param resent  counts repeated frames
     */
    Resends(
            FrameLog log,
            Opening opening,
            Function<Link, Pacing> paced,
            NanoClock clock,
            FrameWriter writer,
            int workers,
            SingleWriterCounter resent) {
        this.log = log;
        this.opening = opening;
        this.paced = paced;
        this.clock = clock;
        this.writer = writer;
        this.resent = resent;
        this.lines = new ResendLine[2 * workers];
    }

    /**
     * Handles a request.
     *
     * @param worker      worker that requests
     * @param relay       whether its relay requests, or its trainer
     * @param tableStream number of the stream of a table that has slices here
     * @param version     version of the first missing frame, 0 or more
     * @param sequence    sequence of that frame, 0 or more
     */
    void ask(int worker, boolean relay, int tableStream, long version, int sequence) {
        int at = 2 * worker + (relay ? 1 : 0);
        if (null == lines[at] && log.end() == log.find(tableStream, version, sequence)) {
            return; // nothing to repeat: the frame is not sent yet, so all workers wait for it
        }
        if (null == lines[at]) {
            lines[at] = new ResendLine(() -> opening.open(worker, relay), paced, log, writer, relay);
            open++;
        }
        writer.toWorker(worker);
        lines[at].ask(tableStream, version, sequence, clock.nanoTime());
    }

    /**
     * Sends frames that the links accept now, a few on each line. Starts after the line that sent last, so that all
     * lines share the budget. Returns the number of frames.
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
            writer.toWorker(at / 2);
            int sent = lines[at].work(nowNs);
            if (sent > 0) {
                first = (at + 1) % lines.length;
            }
            frames += sent;
            if (lines[at].isIdle(nowNs, KEEP_NS)) {
                close(at);
            }
        }
        resent.add(frames);
        return frames;
    }

    /** Stops sending frames to a worker that has left. */
    void forget(int worker) {
        for (int i = 2 * worker; i < 2 * worker + 2; i++) {
            if (null != lines[i]) {
                close(i);
            }
        }
    }

    /** Number of frames sent. */
    long frames() {
        return resent.get();
    }

    private void close(int at) {
        lines[at].link().close();
        lines[at] = null;
        open--;
    }
}
