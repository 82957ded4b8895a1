package io.sluice.consistency.worker;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.Pacing;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Pushes again what a server has not got, in the order of the log and before anything new: from the first frame that it
 * asks for to the end (decision 7), or all behind the clock at which it has rejoined, with the declarations of tables
 * first (decision 9). What of that the server has, it drops.
 *
 * <p>A request is answered on the link that there is. If the same frame is still asked for when nothing has gone out
 * for some time, although a receiver is there, the stream leads nowhere: datagrams of others may have taken the
 * place of frames. What goes on then is another link, which begins by saying so.
 *
 * <p>For the sending thread. Allocates nothing after construction, but for an error.
 */
final class PushRepair {
    /** What was sent again, and is still asked for after so long in which nothing else went out, was lost again. */
    static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

    /** A link is not given up more often, however often that was in vain. */
    static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(16);

    private static final long NEVER = -1;

    private final FrameLog log;
    private final int server;
    private final FrameWriter writer;
    private final List<TableSpec> specs;
    private final int trees;
    private final Fault fault;
    private final SingleWriterCounter resent;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);

    /** By table, the entry that was asked for last. */
    private final long[] asked;

    /** Entries from here on are sent again, or were when they were last asked for. */
    private long from;

    /** Up to here; while that goes on there is no end. */
    private long until;

    /** Where a server has rejoined, it has what is not of a later clock than this. */
    private long behind;

    /** Whether the server has rejoined, and what it has lost goes out first: it need not ask. */
    private boolean rejoined;

    /** Tables that have been declared since. */
    private int declared;

    private long next;
    private boolean repeating;

    /** Whether the server has yet to be told that a new link is this worker's. */
    private boolean telling;

    /** Length of the declaration, or of what is told, that waits to be taken; 0 for none. */
    private int written;

    /** Since when nothing went out, and nothing came on. */
    private long sinceNs;

    private long patienceNs = AGAIN_NS;

    /** Ends the cluster, or this node, with a sentence about the server; must throw. */
    @FunctionalInterface
    interface Fault {
        /** Something is missing. */
        void found(Failure failure, String what);
    }

    /**
     * Repeats nothing so far.
     *
     * @param log    what was pushed
     * @param server node id of the server
     * @param writer of the sending thread
     * @param specs  of all tables
     * @param trees  digest of the broadcast trees, to be declared with them
     * @param fault  told that something is missing which is kept no longer
     * @param resent counts frames that were asked for
     */
    PushRepair(
            FrameLog log,
            int server,
            FrameWriter writer,
            List<TableSpec> specs,
            int trees,
            Fault fault,
            SingleWriterCounter resent) {
        this.log = log;
        this.server = server;
        this.writer = writer;
        this.specs = specs;
        this.trees = trees;
        this.fault = fault;
        this.resent = resent;
        this.asked = new long[specs.size()];
        forget();
    }

    /**
     * The server asks for a table from a frame on.
     *
     * @param table     id of it
     * @param round     of the first frame missing
     * @param sequence  of that frame; that of a mark is behind the last of its round
     * @param connected whether the link has a receiver
     * @param nowNs     the time
     * @return whether the link is to be given up for another
     */
    boolean ask(int table, long round, int sequence, boolean connected, long nowNs) {
        if (rejoined) {
            return false;
        }
        long entry = log.find(log.tableStream(table, 0), round, sequence);
        if (FrameLog.GONE == entry) {
            if (round > log.released(table) && round <= log.givenUpClock()) {
                fault.found(
                        Failure.PEER_FAILED,
                        "misses frame " + sequence + " of clock " + round + " of table " + table + ", and the "
                                + log.capacity()
                                + " bytes that are kept for it were too few for what has been pushed since");
            }
            return false;
        }
        if (log.end() == entry) {
            return false; // it has yet to be pushed
        }
        if (entry != asked[table]) {
            asked[table] = entry;
            sinceNs = nowNs;
            patienceNs = AGAIN_NS;
        }
        if (entry < from || entry >= until) {
            next = repeating ? Math.min(next, entry) : entry;
            from = repeating ? Math.min(from, entry) : entry;
            until = Long.MAX_VALUE;
            repeating = true;
            sinceNs = nowNs;
            return false;
        }
        if (!connected || nowNs - sinceNs <= patienceNs) {
            return false;
        }
        next = Math.min(repeating ? next : entry, entry);
        from = next;
        until = Long.MAX_VALUE;
        repeating = true;
        return true;
    }

    /** Another link has taken the place of one that was given up. */
    void reopened(long nowNs) {
        telling = true;
        written = 0;
        sinceNs = nowNs;
        patienceNs = Math.min(LONGEST_NS, 2 * patienceNs);
    }

    /** The server is another, or pushed to from elsewhere on: nothing is asked for. */
    void forget() {
        repeating = false;
        rejoined = false;
        telling = false;
        written = 0;
        behind = NEVER;
        declared = specs.size();
        from = 0;
        until = 0;
        Arrays.fill(asked, NEVER);
    }

    /** The server has rejoined: all behind a clock goes there again. */
    void rejoin(long clock) {
        forget();
        if (!log.hasAllSince(clock)) {
            String tooFew = " bytes that are kept for it were too few for what has been pushed since";
            fault.found(Failure.PEER_LOST, "came back to clock " + clock + ", and the " + log.capacity() + tooFew);
        }
        behind = clock;
        declared = 0;
        next = log.first();
        until = Long.MAX_VALUE;
        from = next;
        rejoined = true;
        repeating = true;
    }

    /** Whether something has to go out again before anything new. */
    boolean isRepeating() {
        return repeating;
    }

    /** Sends what there is room for, up to a limit; returns the number of frames. */
    int work(Pacing pacing, int limit, long nowNs) {
        next = Math.max(next, log.first());
        int sent = declare(pacing, limit);
        if (declared < specs.size() || telling && !tell(pacing)) {
            return sent;
        }
        while (sent < limit && next < log.end()) {
            if (log.clock(next) > behind) {
                if (!pacing.offer(log.buffer(), log.offset(next), log.length(next))) {
                    break;
                }
                sent++;
            }
            next++;
        }
        if (sent > 0) {
            sinceNs = nowNs;
            resent.add(rejoined ? 0 : sent);
        }
        if (log.end() == next) {
            from = rejoined ? next : from; // what the server lacks of that, it has not asked for yet
            repeating = false;
            rejoined = false;
            until = next;
        }
        return sent;
    }

    /** Each is written once, however often the link refuses it. */
    private int declare(Pacing pacing, int limit) {
        int sent = 0;
        while (sent < limit && declared < specs.size()) {
            if (0 == written) {
                TableSpec spec = specs.get(declared);
                written = writer.to(server).declaration(small.buffer(), spec, specs.size(), trees);
            }
            if (!pacing.offer(small.buffer(), 0, written)) {
                return sent;
            }
            written = 0;
            declared++;
            sent++;
        }
        return sent;
    }

    /** Written once, however often the link refuses it. */
    private boolean tell(Pacing pacing) {
        if (0 == written) {
            int tableStream = log.tableStream(next);
            written = writer.to(server)
                    .resend(
                            small.buffer(),
                            log.table(tableStream),
                            0,
                            log.clock(next),
                            log.sequenceFrom(tableStream, next),
                            FrameWriter.PUSHES);
        }
        if (!pacing.offer(small.buffer(), 0, written)) {
            return false;
        }
        written = 0;
        telling = false;
        return true;
    }
}
