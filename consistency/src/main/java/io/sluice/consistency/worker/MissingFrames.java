package io.sluice.consistency.worker;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.Tally;
import io.sluice.tree.Ways;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.agrona.CloseHelper;
import org.agrona.concurrent.NanoClock;

/**
 * Asks servers for broadcasts that a receiver misses: when a frame has come before its turn and those between do not
 * follow within {@value #PATIENCE_MS} ms, when another node has just taken over to send, and when nothing has come for
 * a stated time although a server is known to have broadcast what is due, or something later. While nobody has, there
 * is nothing to ask for, however long that takes. It asks for all tables of a tree at once, for what loses frames of
 * one mostly loses those of others, and again every {@value #AGAIN_MS} ms, or in silence each such time, until
 * something comes.
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
    private final IntFunction<Link> opening;
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

    /** By tree, the table to ask for next, while a request is being sent; else the number of tables. */
    private final int[] asking;

    private final int tables;
    private final Ways ways;

    /** By server. */
    private final Link[] links;

    /** What a receiver expects of each tree and table. */
    interface Due {
        /** Whether a tree carries slices of a table to this receiver. */
        boolean expects(int tree, int table);

        /** Version of the frame that is due. */
        long clock(int tree, int table);

        /** Ordinal of the frame that is due. */
        int sequence(int tree, int table);

        /** Up to which version some server is known to have broadcast; -1 if none is. */
        long versionBroadcast();
    }

    /**
     * Misses nothing so far.
     *
     * @param due       what is expected
     * @param opening   opens a link to a server for requests, which need not be connected yet
     * @param writer    of this worker, for the calling thread
     * @param ways      that frames come
     * @param tables    that there are
     * @param relay     whether the receiver is the worker's relay, or its trainer
     * @param clock     measures
     * @param silenceNs after which to ask although nothing shows what is missing, but that it has been broadcast
     * @param asked     counts requests
     */
    MissingFrames(
            Due due,
            IntFunction<Link> opening,
            FrameWriter writer,
            Ways ways,
            int tables,
            boolean relay,
            NanoClock clock,
            long silenceNs,
            Tally asked) {
        this.due = due;
        this.opening = opening;
        this.writer = writer;
        this.ways = ways;
        this.tables = tables;
        this.relay = relay;
        this.clock = clock;
        this.silenceNs = silenceNs;
        this.asked = asked;
        this.early = new boolean[ways.trees()];
        this.heard = new boolean[ways.trees()];
        this.earlyNs = new long[ways.trees()];
        this.heardNs = new long[ways.trees()];
        this.askedNs = new long[ways.trees()];
        this.changes = new int[ways.trees()];
        this.asking = new int[ways.trees()];
        this.links = new Link[ways.roots()];
        Arrays.fill(asking, tables);
        long nowNs = clock.nanoTime();
        Arrays.fill(heardNs, nowNs);
        Arrays.fill(askedNs, nowNs - AGAIN_NS);
    }

    /** A frame of a tree has come before its turn: it is put off. */
    Action ahead(int tree) {
        if (!early[tree]) {
            early[tree] = true;
            earlyNs[tree] = clock.nanoTime();
        }
        return Action.ABORT;
    }

    /** A frame of a tree has come that was due. */
    void arrived(int tree) {
        early[tree] = false;
        heard[tree] = true;
    }

    /** Somebody else sends a tree's frames from now on. */
    void changed(int tree) {
        changes[tree] = AFTER_CHANGE;
        askedNs[tree] = clock.nanoTime() - AGAIN_NS - 1;
    }

    /** One that was welcomed after the cluster began has come back, and lacks what was broadcast meanwhile. */
    void askIfBack(int welcomed) {
        for (int tree = 0; welcomed > 0 && tree < asking.length; tree++) {
            changed(tree);
        }
    }

    /** A server has come back at another place, and sends its frames again: it is asked at once, over a new link. */
    void reopened(int server) {
        CloseHelper.quietClose(links[server]);
        links[server] = null;
        for (int way = 0; way < ways.count(server); way++) {
            int tree = ways.tree(server, way);
            early[tree] = false;
            changed(tree);
        }
    }

    /** Begins to wait: nobody has listened until now. */
    void listen(long nowNs) {
        Arrays.fill(heardNs, nowNs);
    }

    /** Asks where it is time to; returns the number of requests sent. */
    int work(long nowNs) {
        int sent = 0;
        for (int tree = 0; tree < asking.length; tree++) {
            if (heard[tree]) {
                heard[tree] = false;
                heardNs[tree] = nowNs;
            }
            if (asking[tree] == tables && isTime(tree, nowNs)) {
                asking[tree] = 0;
                askedNs[tree] = nowNs;
                changes[tree] = Math.max(0, changes[tree] - 1);
            }
            sent += askOn(tree);
        }
        return sent;
    }

    private boolean isTime(int tree, long nowNs) {
        long sinceNs = nowNs - askedNs[tree];
        boolean gap = early[tree] && nowNs - earlyNs[tree] > PATIENCE_NS;
        boolean silent = nowNs - heardNs[tree] > silenceNs;
        return (gap || changes[tree] > 0) && sinceNs > AGAIN_NS || silent && sinceNs > silenceNs && isBroadcast(tree);
    }

    /**
     * Whether something is due by a tree of a version that has been broadcast. It may have been so by other servers
     * only: then this one will before long, or it has nothing to send again.
     */
    private boolean isBroadcast(int tree) {
        long version = due.versionBroadcast();
        for (int table = 0; table < tables; table++) {
            if (due.expects(tree, table) && due.clock(tree, table) <= version) {
                return true;
            }
        }
        return false;
    }

    /** Asks for the tables of a tree that are still to be asked for; returns the number of requests that went out. */
    private int askOn(int tree) {
        int sent = 0;
        for (; asking[tree] < tables; asking[tree]++) {
            if (due.expects(tree, asking[tree])) {
                if (!ask(tree, asking[tree])) {
                    return sent;
                }
                sent++;
            }
        }
        return sent;
    }

    private boolean ask(int tree, int table) {
        int server = ways.root(tree);
        if (null == links[server]) {
            links[server] = opening.apply(server);
        }
        long version = due.clock(tree, table);
        int sequence = due.sequence(tree, table);
        int length = writer.to(server).resend(frame.buffer(), table, ways.way(tree), version, sequence, relay);
        if (!links[server].offer(frame.buffer(), 0, length)) {
            return false;
        }
        asked.increment();
        return true;
    }
}
