package io.sluice.consistency.worker;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.Tally;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * Asks servers for broadcasts that a receiver misses: when a frame has come before its turn and those between do not
 * follow within {@value #PATIENCE_MS} ms, when nothing has come for a stated time, and when another node has just taken
 * over to send. It asks for all tables of a server at once, for what loses frames of one mostly loses those of others,
 * and again every {@value #AGAIN_MS} ms until something comes.
 *
 * <p>A frame that comes too early stays in its log meanwhile: those that are sent again come by another.
 *
 * <p>For the thread that receives. Allocates only when it first asks a server.
 */
final class MissingFrames {
    private static final int PATIENCE_MS = 20;
    private static final int AGAIN_MS = 200;
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(AGAIN_MS);

    /** How often to ask after a change of who sends: the new sender may take a moment until it does. */
    private static final int AFTER_CHANGE = 8;

    private final Due due;
    private final Peering peering;
    private final FrameWriter writer;
    private final boolean relay;
    private final NanoClock clock;
    private final long silenceNs;
    private final Tally asked;
    private final FrameBuffer frame = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private final boolean[] early;
    private final boolean[] heard;
    private final long[] earlyNs;
    private final long[] heardNs;
    private final long[] askedNs;
    private final int[] changes;

    /** By server, the table to ask for next, while a request is being sent; else the number of tables. */
    private final int[] asking;

    private final int tables;
    private final Link[] links;

    /** What a receiver expects of each server and table. */
    interface Due {
        /** Whether a server broadcasts a table to this receiver. */
        boolean expects(int server, int table);

        /** Version of the frame that is due. */
        long clock(int server, int table);

        /** Ordinal of the frame that is due. */
        int sequence(int server, int table);
    }

    /**
     * Misses nothing so far.
     *
     * @param due       what is expected
     * @param peering   opens links to servers
     * @param writer    of this worker, for the calling thread
     * @param servers   that there are
     * @param tables    that there are
     * @param relay     whether the receiver is the worker's relay, or its trainer
     * @param clock     measures
     * @param silenceNs after which to ask in any case
     * @param asked     counts requests
     */
    MissingFrames(
            Due due,
            Peering peering,
            FrameWriter writer,
            int servers,
            int tables,
            boolean relay,
            NanoClock clock,
            long silenceNs,
            Tally asked) {
        this.due = due;
        this.peering = peering;
        this.writer = writer;
        this.tables = tables;
        this.relay = relay;
        this.clock = clock;
        this.silenceNs = silenceNs;
        this.asked = asked;
        this.early = new boolean[servers];
        this.heard = new boolean[servers];
        this.earlyNs = new long[servers];
        this.heardNs = new long[servers];
        this.askedNs = new long[servers];
        this.changes = new int[servers];
        this.asking = new int[servers];
        this.links = new Link[servers];
        Arrays.fill(asking, tables);
        long nowNs = clock.nanoTime();
        Arrays.fill(heardNs, nowNs);
        Arrays.fill(askedNs, nowNs - AGAIN_NS);
    }

    /** A frame of a server has come before its turn: it is put off. */
    Action ahead(int server) {
        if (!early[server]) {
            early[server] = true;
            earlyNs[server] = clock.nanoTime();
        }
        return Action.ABORT;
    }

    /** A frame of a server has come that was due. */
    void arrived(int server) {
        early[server] = false;
        heard[server] = true;
    }

    /** Somebody else sends a server's frames from now on. */
    void changed(int server) {
        changes[server] = AFTER_CHANGE;
        askedNs[server] = clock.nanoTime() - AGAIN_NS - 1;
    }

    /** Begins to wait: nobody has listened until now. */
    void listen(long nowNs) {
        Arrays.fill(heardNs, nowNs);
    }

    /** Asks where it is time to; returns the number of requests sent. */
    int work(long nowNs) {
        int sent = 0;
        for (int server = 0; server < links.length; server++) {
            if (heard[server]) {
                heard[server] = false;
                heardNs[server] = nowNs;
            }
            if (asking[server] == tables && isTime(server, nowNs)) {
                asking[server] = 0;
                askedNs[server] = nowNs;
                changes[server] = Math.max(0, changes[server] - 1);
            }
            while (asking[server] < tables && ask(server, asking[server])) {
                asking[server]++;
                sent++;
            }
        }
        return sent;
    }

    private boolean isTime(int server, long nowNs) {
        long sinceNs = nowNs - askedNs[server];
        boolean gap = early[server] && nowNs - earlyNs[server] > PATIENCE_NS;
        boolean silent = nowNs - heardNs[server] > silenceNs;
        return (gap || changes[server] > 0) && sinceNs > AGAIN_NS || silent && sinceNs > silenceNs;
    }

    private boolean ask(int server, int table) {
        if (!due.expects(server, table)) {
            return true;
        }
        if (null == links[server]) {
            links[server] = peering.requestLinkTo(server);
        }
        long version = due.clock(server, table);
        int length = writer.to(server).resend(frame.buffer(), table, version, due.sequence(server, table), relay);
        if (!links[server].offer(frame.buffer(), 0, length)) {
            return false;
        }
        asked.increment();
        return true;
    }
}
