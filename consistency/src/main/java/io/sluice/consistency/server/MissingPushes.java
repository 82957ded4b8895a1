package io.sluice.consistency.server;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.Tally;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.agrona.CloseHelper;

/**
 * Asks workers for pushes that were lost on their way (decision 41): for those of a table as soon as a frame of it has
 * come before its turn, and for those of all tables when nothing has come of a worker for a stated time although a
 * round waits for it. It asks again every {@value #AGAIN_MS} ms, or in silence each such time, until what is due comes.
 * A worker that has not pushed yet has nothing to repeat.
 *
 * <p>A frame that comes too early is dropped: a worker pushes again all from the first frame missing on.
 *
 * <p>For the server's thread. Allocates only when it opens a link, which it does when it first asks a worker, and when
 * what it asks for does not come.
 */
final class MissingPushes {
    /** For a server to which nothing comes over a network. */
    static final MissingPushes NONE = new MissingPushes(null, null, null, 0, 0, 0, 0, null);

    private static final int AGAIN_MS = 200;
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(AGAIN_MS);
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** After so many requests in vain the link to the worker may lead nowhere as well. */
    private static final int MOST_IN_VAIN = 8;

    private final Due due;
    private final IntFunction<Link> opening;
    private final FrameWriter writer;
    private final int workers;
    private final int tables;
    private final long silenceNs;
    private final Tally asked;
    private final FrameBuffer frame = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);

    /** By worker and table, whether something came before its turn, and what is due has not come since. */
    private final boolean[] gaps;

    /** By worker, the number of these. */
    private final int[] open;

    private final boolean[] heard;
    private final boolean[] putOff;
    private final long[] heardNs;
    private final long[] askedNs;

    /** By worker, the table to ask for next, while requests are being sent; else the number of tables. */
    private final int[] asking;

    /** By worker, whether that is for all tables, and not for those with gaps alone. */
    private final boolean[] all;

    private final int[] inVain;
    private final Link[] links;
    private long lookedNs;

    /** What a server expects of its workers. */
    interface Due {
        /** Whether frames of a worker come over a network. */
        boolean mayBeLost(int worker);

        /** Whether a worker is there, so that it can be asked. */
        boolean isThere(int worker);

        /** Whether a round of a table has begun, or may begin, and waits for a worker. */
        boolean isAwaited(int worker, int table);

        /** Round of the frame that is due. */
        long round(int worker, int table);

        /** Ordinal of the frame that is due; that of a mark is behind the last of its round. */
        int sequence(int worker, int table);
    }

    /**
     * Misses nothing so far.
     *
     * @param due       what is expected
     * @param opening   opens a link to a worker for requests, which need not be connected yet
     * @param writer    of this server, used for nothing else
     * @param workers   places of workers
     * @param tables    that there are
     * @param silenceNs after which to ask although nothing shows what is missing
     * @param nowNs     the time
     * @param asked     counts requests
     */
    MissingPushes(
            Due due,
            IntFunction<Link> opening,
            FrameWriter writer,
            int workers,
            int tables,
            long silenceNs,
            long nowNs,
            Tally asked) {
        this.due = due;
        this.opening = opening;
        this.writer = writer;
        this.workers = workers;
        this.tables = tables;
        this.silenceNs = silenceNs;
        this.asked = asked;
        this.gaps = new boolean[workers * tables];
        this.open = new int[workers];
        this.heard = new boolean[workers];
        this.putOff = new boolean[workers];
        this.heardNs = new long[workers];
        this.askedNs = new long[workers];
        this.asking = new int[workers];
        this.all = new boolean[workers];
        this.inVain = new int[workers];
        this.links = new Link[workers];
        this.lookedNs = nowNs;
        Arrays.fill(asking, tables);
        Arrays.fill(heardNs, nowNs);
        Arrays.fill(askedNs, nowNs - AGAIN_NS - 1);
    }

    /** Whether a worker can be asked for what is missing: else a gap cannot be. */
    boolean canAsk(int worker) {
        return workers > 0 && due.mayBeLost(worker);
    }

    /** A frame of a worker has come before its turn, and is dropped. */
    void ahead(int worker, int table) {
        heard[worker] = true;
        int at = worker * tables + table;
        if (!gaps[at]) {
            gaps[at] = true;
            open[worker]++;
        }
    }

    /** The frame of a worker that is due has come, whether it can be taken at once or not. */
    void arrived(int worker, int table) {
        if (0 == workers) {
            return;
        }
        heard[worker] = true;
        inVain[worker] = 0;
        int at = worker * tables + table;
        if (open[worker] > 0 && gaps[at]) {
            gaps[at] = false;
            open[worker]--;
        }
    }

    /** The frame that is due waits for others: behind it may be what is missing of other tables. */
    void putOff(int worker) {
        if (workers > 0) {
            putOff[worker] = true;
        }
    }

    /** Another process has a worker's place, or the same pushes anew: what was missing is not missed any more. */
    void forget(int worker) {
        if (0 == workers) {
            return;
        }
        Arrays.fill(gaps, worker * tables, (worker + 1) * tables, false);
        open[worker] = 0;
        heard[worker] = true;
        asking[worker] = tables;
        inVain[worker] = 0;
        CloseHelper.quietClose(links[worker]);
        links[worker] = null;
    }

    /** Whether a worker has been asked for something and may go on by another link. */
    boolean hasAsked(int worker) {
        return workers > 0 && null != links[worker];
    }

    /** Asks where it is time to; returns the number of requests sent. */
    int work(long nowNs) {
        if (nowNs - lookedNs < LOOK_NS) {
            return 0;
        }
        lookedNs = nowNs;
        int sent = 0;
        for (int worker = 0; worker < workers; worker++) {
            if (heard[worker]) {
                heard[worker] = false;
                heardNs[worker] = nowNs;
            }
            if (asking[worker] == tables && isTime(worker, nowNs)) {
                all[worker] = 0 == open[worker];
                asking[worker] = 0;
                askedNs[worker] = nowNs;
                renew(worker);
            }
            putOff[worker] = false;
            sent += askOn(worker);
        }
        return sent;
    }

    private boolean isTime(int worker, long nowNs) {
        long sinceNs = nowNs - askedNs[worker];
        boolean gap = open[worker] > 0 && sinceNs > (putOff[worker] ? silenceNs : AGAIN_NS);
        boolean silent = nowNs - heardNs[worker] > silenceNs && sinceNs > silenceNs;
        return (gap || silent) && due.mayBeLost(worker) && due.isThere(worker) && (gap || isAwaited(worker));
    }

    private boolean isAwaited(int worker) {
        for (int table = 0; table < tables; table++) {
            if (due.isAwaited(worker, table)) {
                return true;
            }
        }
        return false;
    }

    private void renew(int worker) {
        if (++inVain[worker] > MOST_IN_VAIN) {
            inVain[worker] = 0;
            CloseHelper.quietClose(links[worker]);
            links[worker] = null;
        }
        if (null == links[worker]) {
            links[worker] = opening.apply(worker);
        }
    }

    /** Asks for the tables that are still to be asked for; returns the number of requests that went out. */
    private int askOn(int worker) {
        int sent = 0;
        for (; asking[worker] < tables; asking[worker]++) {
            int table = asking[worker];
            boolean wanted = all[worker] ? due.isAwaited(worker, table) : gaps[worker * tables + table];
            if (wanted) {
                if (!ask(worker, table)) {
                    return sent;
                }
                sent++;
            }
        }
        return sent;
    }

    private boolean ask(int worker, int table) {
        long round = due.round(worker, table);
        int sequence = due.sequence(worker, table);
        int length = writer.toWorker(worker).pushAgain(frame.buffer(), table, round, sequence);
        if (!links[worker].offer(frame.buffer(), 0, length)) {
            return false;
        }
        asked.increment();
        return true;
    }
}
