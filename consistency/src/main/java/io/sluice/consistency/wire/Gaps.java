package io.sluice.consistency.wire;

import io.sluice.codecs.FrameBuffer;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Link;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.tree.RouteTable;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.agrona.CloseHelper;

/**
 * Asks for frames that a receiver misses: a worker's trainer or relay asks servers for broadcasts (decision 7), a
 * server asks workers for pushes (decision 7). It asks when a frame has come before its turn and those between do not
 * follow, when another node has just taken over to send, and when nothing has come for a stated time although what is
 * due is known to be on its way; and again until something comes: every {@value #AGAIN_MS} ms, or in silence each such
 * time.
 *
 * <p>For the thread that receives. Allocates only when it opens a link: when it first asks a peer, and when what it
 * asks for does not come.
 */
public final class Gaps {
    /** Of a receiver from which no frame can be lost: it misses nothing. */
    public static final Gaps NONE = new Gaps(null, null, FrameWriter.PUSHES, new Stream[0], 0, 0, 0);

    /**
     * Before a gap in a broadcast is asked for: frames come by a tree and by a link for what is sent again, so those
     * between may be close behind. A push has one link, so a gap there is a loss, and is asked for at once.
     */
    private static final int PATIENCE_MS = 20;

    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
    private static final int AGAIN_MS = 200;
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(AGAIN_MS);

    /** Between two looks at all streams: this is done in each duty cycle. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How often to ask after a change of who sends: the new sender may take a moment until it does. */
    private static final int AFTER_CHANGE = 8;

    /** After so many requests in vain the link for requests may lead nowhere, and another takes its place. */
    private static final int MOST_IN_VAIN = 8;

    private final Due due;
    private final Requests requests;
    private final short concerned;
    private final boolean ofPushes;
    private final int tables;
    private final long silenceNs;
    private final FrameBuffer frame = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private final Stream[] streams;

    /** By peer; null for those that have not been asked. */
    private final Link[] links;

    private long lookedNs;

    /** What a receiver expects of each stream. */
    public interface Due {
        /** Whether frames of a stream may be lost on their way. */
        default boolean mayBeLost(int stream) {
            return true;
        }

        /** Whether the sender of a stream is there, so that it can be asked. */
        default boolean isThere(int stream) {
            return true;
        }

        /** Whether to ask for a table when it is not known which tables lack something. */
        boolean expects(int stream, int table);

        /** Whether what is due of a table should have come by now, as far as is known, so that silence means loss. */
        boolean isAwaited(int stream, int table);

        /** Clock of the frame that is due. */
        long clock(int stream, int table);

        /** Ordinal of the frame that is due; that of a mark is behind the last of its clock. */
        int sequence(int stream, int table);
    }

    /**
     * How requests go out.
     *
     * @param writer  of this node, for the calling thread
     * @param opening opens a link to a peer for requests, which need not be connected yet
     * @param asked   counts requests
     */
    public record Requests(FrameWriter writer, IntFunction<Link> opening, SingleWriterCounter asked) {}

    /** What one peer sends by one way. */
    private static final class Stream {
        final int peer;
        final int node;
        final int route;

        /** By table, whether something came before its turn, and what is due has not come since. */
        final boolean[] gaps;

        /** The number of these. */
        int open;

        /** When the first of these was seen; whether it has been. */
        long gapNs;

        boolean seen;

        /** Whether something has come since the last look, and at which look something had. */
        boolean heard;

        long heardNs;
        boolean deferred;
        int changes;
        int inVain;
        long askedNs;

        /** Whether to ask for all tables that are expected, and not for those with gaps alone. */
        boolean all;

        /** The table to ask for next, while requests are being sent; else the number of tables. */
        int asking;

        Stream(int peer, int node, int route, int gaps) {
            this.peer = peer;
            this.node = node;
            this.route = route;
            this.gaps = new boolean[gaps];
        }
    }

    private Gaps(
            Due due, Requests requests, short concerned, Stream[] streams, int tables, long silenceNs, long nowNs) {
        this.due = due;
        this.requests = requests;
        this.concerned = concerned;
        this.ofPushes = FrameWriter.PUSHES == concerned;
        this.streams = streams;
        this.tables = tables;
        this.silenceNs = silenceNs;
        this.lookedNs = nowNs - LOOK_NS;
        this.links = new Link
                [Arrays.stream(streams)
                        .mapToInt(stream -> stream.peer + 1)
                        .max()
                        .orElse(0)];
        for (Stream stream : streams) {
            stream.asking = tables;
            stream.heardNs = nowNs;
            stream.askedNs = nowNs - AGAIN_NS - 1;
        }
    }

    /**
     * For broadcasts: a stream is a tree, a peer its server. A frame that comes too early stays in its log meanwhile.
     * What else is missing cannot be seen behind it, so all tables of the tree are asked for.
     *
     * @param due       what is expected
     * @param requests  how they go out
     * @param routes      that frames come
     * @param tables    that there are
     * @param relay     whether the receiver is the worker's relay, or its trainer
     * @param silenceNs after which to ask although nothing shows what is missing, but that it has been broadcast
     * @param nowNs     the time
     * @return that misses nothing so far
     */
    public static Gaps inBroadcasts(
            Due due, Requests requests, RouteTable routes, int tables, boolean relay, long silenceNs, long nowNs) {
        Stream[] streams = new Stream[routes.trees()];
        Arrays.setAll(streams, tree -> new Stream(routes.root(tree), routes.root(tree), routes.route(tree), 1));
        short concerned = relay ? FrameWriter.TO_RELAY : FrameWriter.TO_TRAINER;
        return new Gaps(due, requests, concerned, streams, tables, silenceNs, nowNs);
    }

    /**
     * For pushes: a stream, and a peer, is a worker. A frame that comes too early is dropped, so gaps of other tables
     * show behind it, and only those are asked for: a worker pushes again all that followed.
     *
     * @param due         what is expected
     * @param requests    how they go out
     * @param workers     places of workers
     * @param firstWorker node id of the first
     * @param tables      that there are
     * @param silenceNs   after which to ask although nothing shows what is missing, but that a round waits for it
     * @param nowNs       the time
     * @return that misses nothing so far
     */
    public static Gaps inPushes(
            Due due, Requests requests, int workers, int firstWorker, int tables, long silenceNs, long nowNs) {
        Stream[] streams = new Stream[workers];
        Arrays.setAll(streams, worker -> new Stream(worker, firstWorker + worker, 0, tables));
        return new Gaps(due, requests, FrameWriter.PUSHES, streams, tables, silenceNs, nowNs);
    }

    /** Whether the sender of a stream can be asked for what is missing: else a gap is a breach. */
    public boolean canAsk(int stream) {
        return due.mayBeLost(stream);
    }

    /** A frame of a stream has come before its turn, and stays in its log. */
    public Action ahead(int stream) {
        ahead(stream, 0);
        return Action.ABORT;
    }

    /** A frame of a table has come before its turn, and is dropped. */
    public void ahead(int stream, int table) {
        Stream its = streams[stream];
        if (!its.gaps[table]) {
            its.gaps[table] = true;
            its.open++;
        }
    }

    /** A frame of a stream that was due has come. */
    public void arrived(int stream) {
        arrived(stream, 0);
    }

    /** The frame of a table that was due has come, whether it can be taken at once or not. */
    public void arrived(int stream, int table) {
        Stream its = streams[stream];
        its.heard = true;
        its.inVain = 0;
        if (its.open > 0 && its.gaps[table]) {
            close(its, table);
        }
    }

    private static void close(Stream its, int table) {
        its.gaps[table] = false;
        its.open--;
        its.seen &= its.open > 0;
    }

    /** The frame that is due waits for others: behind it may be what is missing of other tables. */
    public void deferred(int stream) {
        streams[stream].deferred = true;
    }

    /** Another node sends a stream's frames from now on. */
    public void changed(int stream) {
        streams[stream].changes = AFTER_CHANGE;
        streams[stream].askedNs = lookedNs - AGAIN_NS - 1;
    }

    /** A receiver that was welcomed after the cluster began lacks what was sent meanwhile. */
    public void askIfBack(int welcomed) {
        for (int stream = 0; welcomed > 0 && stream < streams.length; stream++) {
            changed(stream);
        }
    }

    /** Another process has a peer's place, or the peer begins anew: what was missing is not missed any more. */
    public void forget(int peer) {
        for (Stream its : streams) {
            if (its.peer == peer) {
                for (int table = 0; its.open > 0; table++) {
                    if (its.gaps[table]) {
                        close(its, table);
                    }
                }
                its.heard = true;
                its.asking = tables;
                its.inVain = 0;
                disconnect(peer);
            }
        }
    }

    /** A peer has come back at another place, and sends its frames again: it is asked at once, over a new link. */
    public void reopened(int peer) {
        forget(peer);
        for (int stream = 0; stream < streams.length; stream++) {
            if (streams[stream].peer == peer) {
                changed(stream);
            }
        }
    }

    private void disconnect(int peer) {
        CloseHelper.quietClose(links[peer]);
        links[peer] = null;
    }

    /** Whether a peer has been asked for something and may go on by another link. */
    public boolean hasAsked(int peer) {
        return peer < links.length && null != links[peer];
    }

    /** Begins to wait: this node has not listened until now. */
    public void listen(long nowNs) {
        for (Stream its : streams) {
            its.heardNs = nowNs;
        }
    }

    /** Asks where it is time to; returns the number of requests sent. */
    public int work(long nowNs) {
        if (nowNs - lookedNs < LOOK_NS) {
            return 0;
        }
        lookedNs = nowNs;
        int sent = 0;
        for (int stream = 0; stream < streams.length; stream++) {
            Stream its = streams[stream];
            look(its, nowNs);
            if (its.asking == tables && isTime(stream, its, nowNs)) {
                its.all = !ofPushes || 0 == its.open;
                its.asking = 0;
                its.askedNs = nowNs;
                its.changes = Math.max(0, its.changes - 1);
                if (++its.inVain > MOST_IN_VAIN) {
                    its.inVain = 0;
                    disconnect(its.peer);
                }
            }
            its.deferred = false;
            sent += askOn(stream, its);
        }
        return sent;
    }

    private static void look(Stream its, long nowNs) {
        if (its.heard) {
            its.heard = false;
            its.heardNs = nowNs;
        }
        if (its.open > 0 && !its.seen) {
            its.seen = true;
            its.gapNs = nowNs;
        }
    }

    private boolean isTime(int stream, Stream its, long nowNs) {
        long sinceNs = nowNs - its.askedNs;
        boolean gap = its.open > 0 && (ofPushes || nowNs - its.gapNs >= PATIENCE_NS);
        boolean again = sinceNs > (its.deferred ? silenceNs : AGAIN_NS) && (gap || its.changes > 0);
        boolean silent = nowNs - its.heardNs > silenceNs && sinceNs > silenceNs;
        return (again || silent) && due.mayBeLost(stream) && due.isThere(stream) && (again || isAwaited(stream));
    }

    private boolean isAwaited(int stream) {
        for (int table = 0; table < tables; table++) {
            if (due.isAwaited(stream, table)) {
                return true;
            }
        }
        return false;
    }

    /** Asks for the tables that are still to be asked for; returns the number of requests that went out. */
    private int askOn(int stream, Stream its) {
        int sent = 0;
        for (; its.asking < tables; its.asking++) {
            if (its.all ? due.expects(stream, its.asking) : its.gaps[its.asking]) {
                if (!ask(stream, its)) {
                    return sent;
                }
                sent++;
            }
        }
        return sent;
    }

    private boolean ask(int stream, Stream its) {
        if (null == links[its.peer]) {
            links[its.peer] = requests.opening.apply(its.peer);
        }
        long clock = due.clock(stream, its.asking);
        int sequence = due.sequence(stream, its.asking);
        int length =
                requests.writer.to(its.node).resend(frame.buffer(), its.asking, its.route, clock, sequence, concerned);
        if (!links[its.peer].offer(frame.buffer(), 0, length)) {
            return false;
        }
        requests.asked.increment();
        return true;
    }
}
