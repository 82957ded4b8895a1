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
import java.util.function.ToIntFunction;

/**
 * Repeats pushes that a server lacks, in log order and before new frames. After a request it repeats all frames from
 * the first requested one (decision 7). After a rejoin it repeats the declarations of tables and then all frames after
 * the server's clock (decision 9). The server drops frames that it has already.
 *
 * <p>Repeated frames use the existing link. If the server still requests the same frame although the link is connected
 * and has been idle for a while, the stream is broken: foreign datagrams may have displaced frames. Then a new link
 * takes over; its first frame announces this.
 *
 * <p>For the sending thread. Allocates nothing after construction except for errors.
 */
final class PushRepair {
    /** A repeated frame that is requested again after this idle time was lost again. */
    static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

    /** Maximum time between two replacements of a link. */
    static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(16);

    private static final long NEVER = -1;

    private final FrameLog log;
    private final int server;
    private final FrameWriter writer;
    private final List<TableSpec> specs;
    private final int trees;
    private final ToIntFunction<TableSpec> digests;
    private final Fault fault;
    private final SingleWriterCounter resent;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);

    /** For each table, the log entry that was requested last. */
    private final long[] asked;

    /** First log entry of the current or last repetition. */
    private long from;

    /** End of the repetition; unlimited while it lasts. */
    private long until;

    /** A rejoined server has all frames up to this clock. */
    private long behind;

    /** Whether the server has rejoined, and receives lost frames without a request. They are not counted. */
    private boolean rejoined;

    /** Number of tables declared since the rejoin. */
    private int declared;

    private long next;
    private boolean repeating;

    /** Whether the announcement of a new link is still to be sent. */
    private boolean announcing;

    /** Length of the declaration or announcement that the link has yet to accept; 0 for none. */
    private int written;

    /** Time at which a frame was last sent, the request last changed, or the link was last replaced. */
    private long sinceNs;

    private long patienceNs = AGAIN_NS;

    /** Ends the cluster, or this node, with a sentence about the server; must throw. */
    @FunctionalInterface
    interface Fault {
        /** Reports a missing frame. */
        void found(Failure failure, String what);
    }

    /**
     * Starts without repetitions.
     *
     * @param log     pushed frames
     * @param server  node id of the server
     * @param writer  writer of the sending thread
     * @param specs   specs of all tables
     * @param trees   digest of the broadcast trees, to be declared with them
     * @param digests digest of the factor table whose first vectors a table carries
     * @param fault   receives the error if a missing frame is no longer kept
     * @param resent  counts frames that are repeated on request
     */
    PushRepair(
            FrameLog log,
            int server,
            FrameWriter writer,
            List<TableSpec> specs,
            int trees,
            ToIntFunction<TableSpec> digests,
            Fault fault,
            SingleWriterCounter resent) {
        this.log = log;
        this.server = server;
        this.writer = writer;
        this.specs = specs;
        this.trees = trees;
        this.digests = digests;
        this.fault = fault;
        this.resent = resent;
        this.asked = new long[specs.size()];
        forget();
    }

    /**
     * Handles a server's request for the frames of a table, from a given frame on.
     *
     * @param table     id of the table
     * @param round     round of the first missing frame
     * @param sequence  sequence of that frame; that of a round commit follows the last data frame of its round
     * @param connected whether the link has a receiver
     * @param nowNs     the time
     * @return whether the link must be replaced
     */
    boolean ask(int table, long round, int sequence, boolean connected, long nowNs) {
        long entry = log.find(log.tableStream(table, 0), round, sequence);
        if (rejoined && (FrameLog.GONE == entry || entry >= next)) {
            return false; // the frame follows in the repetition
        }
        if (FrameLog.GONE == entry) {
            if (round > log.released(table) && round <= log.givenUpClock()) {
                fault.found(
                        Failure.PEER_FAILED,
                        "misses frame " + sequence + " of clock " + round + " of table " + table + ", and the "
                                + log.capacity()
                                + " bytes that are kept for it were too few for the pushes since then");
            }
            return false;
        }
        if (log.end() == entry) {
            return false; // the frame has not been pushed yet
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

    /** Continues on a new link that has replaced the broken one. */
    void reopened(long nowNs) {
        announcing = true;
        written = 0;
        sinceNs = nowNs;
        patienceNs = Math.min(LONGEST_NS, 2 * patienceNs);
    }

    /** Forgets open requests, because another server has the place or pushes start at another round. */
    void forget() {
        repeating = false;
        rejoined = false;
        announcing = false;
        written = 0;
        behind = NEVER;
        declared = specs.size();
        from = 0;
        until = 0;
        Arrays.fill(asked, NEVER);
    }

    /** Repeats all frames after a clock to a server that has rejoined. */
    void rejoin(long clock) {
        forget();
        if (!log.hasAllSince(clock)) {
            String tooFew = " bytes that are kept for it were too few for the pushes since then";
            fault.found(Failure.PEER_LOST, "rejoined at clock " + clock + ", and the " + log.capacity() + tooFew);
        }
        behind = clock;
        declared = 0;
        next = log.first();
        until = Long.MAX_VALUE;
        from = next;
        rejoined = true;
        repeating = true;
    }

    /** Whether repeated frames must be sent before new ones. */
    boolean isRepeating() {
        return repeating;
    }

    /** Sends frames while the link accepts them, up to a limit; returns their number. */
    int work(Pacing pacing, int limit, long nowNs) {
        next = Math.max(next, log.first());
        int sent = declare(pacing, limit);
        if (declared < specs.size() || announcing && !announce(pacing)) {
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
            from = rejoined ? next : from; // the server has not requested the frames from here on
            repeating = false;
            rejoined = false;
            until = next;
        }
        return sent;
    }

    /** Writes each declaration once, even if the link refuses it several times. */
    private int declare(Pacing pacing, int limit) {
        int sent = 0;
        while (sent < limit && declared < specs.size()) {
            if (0 == written) {
                TableSpec spec = specs.get(declared);
                written = writer.to(server)
                        .declaration(small.buffer(), spec, specs.size(), trees, digests.applyAsInt(spec));
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

    /** Writes the announcement once, even if the link refuses it several times. */
    private boolean announce(Pacing pacing) {
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
        announcing = false;
        return true;
    }
}
