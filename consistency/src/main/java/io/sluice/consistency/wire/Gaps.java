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
 * Requests frames that a receiver misses (decision 7): a worker's trainer or relay requests broadcasts from servers, a
 * server requests pushes from workers. It does so when a frame arrives before its turn and the missing frames do not
 * follow, when another node has become the sender, and when no frame has arrived for a stated time although one is due.
 * It repeats the request until a frame arrives: every {@value #AGAIN_MS} ms, or each such time in silence. The stated
 * time is at most {@value #AFTER_CHANGE_MS} ms for a while after the sender has changed: the former sender may stop
 * before the root of the tree, which follows the change later than this node, sends to the new one.
 *
 * <p>For the thread that receives. Allocates only when it opens a link: for the first request to a sender, and when
 * requested frames do not arrive.
 */
public final class Gaps {
    /** The gaps of a receiver that cannot lose frames. */
    public static final Gaps NONE = new Gaps(null, null, FrameWriter.PUSHES, new Stream[0], 0, 0, 0);

    /**
     * How long to wait before requesting the frames of a gap in a broadcast: frames arrive by a tree and by a link for
     * repeated frames, so the missing frames may be about to arrive. A push has one link, so a gap is a loss, and the
     * receiver requests the frames at once.
     */
    private static final int PATIENCE_MS = 20;

    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
    private static final int AGAIN_MS = 200;
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(AGAIN_MS);

    /** Interval between two checks of all streams, which each duty cycle may start. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Number of requests after a change of the sender: the new sender may take a moment to begin. */
    private static final int AFTER_CHANGE = 8;

    /** Silence after which an awaited frame is requested while a change of the sender is recent. */
    private static final int AFTER_CHANGE_MS = 1_000;

    private static final long AFTER_CHANGE_NS = TimeUnit.MILLISECONDS.toNanos(AFTER_CHANGE_MS);

    /** After this many unanswered requests, the link that carries them is taken to be broken and is replaced. */
    private static final int MOST_IN_VAIN = 8;

    private final Due due;
    private final Requests requests;
    private final short concerned;
    private final boolean ofPushes;
    private final int tables;
    private final long silenceNs;
    private final FrameBuffer frame = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private final Stream[] streams;

    /** Links for requests by sender; null for senders without requests. */
    private final Link[] links;

    private long lookedNs;

    /** Tells which frame a receiver expects next, by stream and table. */
    public interface Due {
        /** Whether frames of a stream may be lost on their way. */
        default boolean mayBeLost(int stream) {
            return true;
        }

        /** Whether the sender of a stream is a member, so that it can receive requests. */
        default boolean isThere(int stream) {
            return true;
        }

        /** Whether to request the frames of a table while it is unknown which tables have gaps. */
        boolean expects(int stream, int table);

        /** Whether the due frame of a table should have arrived, so that silence means loss. */
        boolean isAwaited(int stream, int table);

        /** Clock of the frame that is due. */
        long clock(int stream, int table);

        /** Sequence of the frame that is due; that of a round commit follows the last frame of its clock. */
        int sequence(int stream, int table);
    }

    /**
     * The means to send requests.
     *
     * @param writer  writer of this node, for the calling thread
     * @param opening opens a link to a sender for requests; the link need not be connected yet
     * @param asked   counts requests
     */
    public record Requests(FrameWriter writer, IntFunction<Link> opening, SingleWriterCounter asked) {}

    /** The frames of one sender on one route. */
    private static final class Stream {
        final int peer;
        final int node;
        final int route;

        /** For each table, whether a frame has arrived before its turn, and the due frame has not arrived since. */
        final boolean[] gaps;

        /** The number of tables with gaps. */
        int open;

        /** Time at which the first of these gaps was detected. */
        long gapNs;

        boolean seen;

        /** Whether a frame has arrived since the last check. */
        boolean heard;

        /** Time of the last check that found a new frame. */
        long heardNs;

        boolean deferred;
        int changes;

        /** Time until which the last change of the sender is recent. */
        long recentUntilNs;

        int inVain;
        long askedNs;

        /** Whether to request the frames of all expected tables, not only of those with gaps. */
        boolean all;

        /** The table to request next, while requests are being sent; otherwise the number of tables. */
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
            stream.recentUntilNs = nowNs;
        }
    }

    /**
     * Creates the gaps in broadcasts: a stream is a tree, and its sender is the tree's server. A frame that arrives too
     * early stays in its log and hides other missing frames, so the receiver requests all tables of the tree.
     *
     * @param due       expected frames
     * @param requests  how requests are sent
     * @param routes    routes of the frames
     * @param tables    number of tables
     * @param relay     whether the receiver is the worker's relay, or its trainer
     * @param silenceNs nanoseconds of silence after which to request frames although no later frame shows a gap
     * @param nowNs     the time
     * @return gaps of a receiver that misses nothing so far
     */
    public static Gaps inBroadcasts(
            Due due, Requests requests, RouteTable routes, int tables, boolean relay, long silenceNs, long nowNs) {
        Stream[] streams = new Stream[routes.trees()];
        Arrays.setAll(streams, tree -> new Stream(routes.root(tree), routes.root(tree), routes.route(tree), 1));
        short concerned = relay ? FrameWriter.TO_RELAY : FrameWriter.TO_TRAINER;
        return new Gaps(due, requests, concerned, streams, tables, silenceNs, nowNs);
    }

    /**
     * Creates the gaps in pushes: each worker is the sender of one stream. The receiver drops a frame that arrives too
     * early, so it sees gaps of other tables behind that frame. It requests only tables with gaps, because a worker
     * repeats all frames that follow.
     *
     * @param due         expected frames
     * @param requests    how requests are sent
     * @param workers     places of workers
     * @param firstWorker node id of the first worker
     * @param tables      number of tables
     * @param silenceNs   nanoseconds of silence after which to request frames although only a waiting round shows that
     *     some are missing
     * @param nowNs       the time
     * @return gaps of a receiver that misses nothing so far
     */
    public static Gaps inPushes(
            Due due, Requests requests, int workers, int firstWorker, int tables, long silenceNs, long nowNs) {
        Stream[] streams = new Stream[workers];
        Arrays.setAll(streams, worker -> new Stream(worker, firstWorker + worker, 0, tables));
        return new Gaps(due, requests, FrameWriter.PUSHES, streams, tables, silenceNs, nowNs);
    }

    /** Whether missing frames can be requested from the sender of a stream; otherwise a gap is a breach. */
    public boolean canAsk(int stream) {
        return due.mayBeLost(stream);
    }

    /** Records that a frame of a stream has arrived before its turn and stays in its log. */
    public Action ahead(int stream) {
        ahead(stream, 0);
        return Action.ABORT;
    }

    /** Records that a frame of a table has arrived before its turn and is dropped. */
    public void ahead(int stream, int table) {
        Stream its = streams[stream];
        if (!its.gaps[table]) {
            its.gaps[table] = true;
            its.open++;
        }
    }

    /** Records that the due frame of a stream has arrived. */
    public void arrived(int stream) {
        arrived(stream, 0);
    }

    /** Records that the due frame of a table has arrived, whether or not it can be accepted at once. */
    public void arrived(int stream, int table) {
        Stream its = streams[stream];
        its.heard = true;
        its.inVain = 0;
        if (its.open > 0 && its.gaps[table]) {
            close(its, table);
        }
        if (0 == its.open) {
            its.asking = tables; // cancel a request that its link has not accepted yet: it would now name a later frame
        }
    }

    private static void close(Stream its, int table) {
        its.gaps[table] = false;
        its.open--;
        its.seen &= its.open > 0;
    }

    /** Records that the due frame is deferred: frames that are missing from other tables may follow it. */
    public void defer(int stream) {
        streams[stream].deferred = true;
    }

    /** Records that another node sends a stream's frames from now on. */
    public void changed(int stream) {
        streams[stream].changes = AFTER_CHANGE;
        streams[stream].askedNs = lookedNs - AGAIN_NS - 1;
    }

    /** Requests the frames that were sent before this receiver joined, if it joined after the cluster began. */
    public void askIfBack(int welcomed) {
        for (int stream = 0; welcomed > 0 && stream < streams.length; stream++) {
            changed(stream);
        }
    }

    /** Forgets the gaps of a sender that starts again, or whose place another process holds now. */
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

    /**
     * Sends a request at once, over a new link, to a sender that has rejoined at another address and repeats its
     * frames.
     */
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

    /** Whether this node has requested frames from a sender, which may continue by another link. */
    public boolean hasAsked(int peer) {
        return peer < links.length && null != links[peer];
    }

    /** Starts to measure silence, because this node has not polled until now. */
    public void listen(long nowNs) {
        for (Stream its : streams) {
            its.heardNs = nowNs;
        }
    }

    /** Sends the requests that are due; returns their number. */
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

    private void look(Stream its, long nowNs) {
        if (its.changes == AFTER_CHANGE) {
            its.recentUntilNs = nowNs + 2 * silenceNs; // by then the root has followed the change, or is dead
        }
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
        long allowedNs = nowNs - its.recentUntilNs < 0 ? Math.min(silenceNs, AFTER_CHANGE_NS) : silenceNs;
        boolean silent = nowNs - its.heardNs > allowedNs && sinceNs > allowedNs;
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

    /** Requests the tables that are not requested yet; returns the number of requests sent. */
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
