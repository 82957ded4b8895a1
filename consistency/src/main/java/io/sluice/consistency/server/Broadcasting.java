package io.sluice.consistency.server;

import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.HopLinks;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.consistency.wire.SkippedChildren;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.tree.BroadcastTree;
import io.sluice.tree.FanOut;
import io.sluice.tree.Hop;
import io.sluice.tree.RouteTable;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.agrona.collections.ArrayUtil;

/**
 * A server's part in the broadcasts: it is the root of its trees, and retains frames that a worker may miss. When a
 * worker is lost, the trees are repaired, which may add links to the children of the dead worker.
 *
 * <p>Used by one thread.
 */
final class Broadcasting implements Outgoing {
    private final Membership membership;
    private final LiveTrees trees;
    private final int server;

    /** The stripes by route. */
    private final Stripe[] stripes;

    /** The root of one tree: a route that stalls blocks no other route. */
    private record Stripe(FanOut fanOut, HopLinks links) {}

    /** For each route, the number of its first link in the order of opening; the last entry is the number of links. */
    private final int[] firstLinks;

    /** The next turn: a route or, after the last route, the repeated frames. */
    private int first;

    /** Log from which frames are repeated; null if frames cannot be repeated. */
    private final FrameLog log;

    private final Resends resends;

    /** Whether this server has rejoined, so that it computes again what workers have received before. */
    private final boolean isReplaying;

    /** The streams of all tables if this server has rejoined; an array, since iterating over it allocates nothing. */
    private TableStream[] replayed = {};

    /** The last version that all these streams have been found to have sent. */
    private long replayedVersion = -1;

    private IntConsumer givenUp = link -> {};

    /**
     * Opens the links.
     *
     * @param membership membership of this server
     * @param state      state adopted by this server's thread
     * @param peering    opens the links
     * @param specs      all tables
     * @param frames     maximum number of frames in flight
     * @param budget     budget of this server
     * @param context    settings that limit the memory for repair and the time that receivers may stall
     * @param releases   states which frames all workers have
     */
    Broadcasting(
            Membership membership,
            ClusterState state,
            Peering peering,
            List<TableSpec> specs,
            int frames,
            NodeBudget budget,
            ServerContext context,
            FrameLog.Releases releases) {
        this.membership = membership;
        this.trees = new LiveTrees(membership, peering, specs, state);
        this.server = membership.node();
        ClusterSettings settings = membership.plan().settings();
        this.isReplaying = membership.plan().isOfRejoined();
        boolean ordered = Policies.newOrder(settings).bits() > 0;
        this.stripes = new Stripe[trees.routes().count(server)];
        this.firstLinks = new int[stripes.length + 1];
        for (int route = 0; route < stripes.length; route++) {
            int tree = trees.routes().tree(server, route);
            HopLinks links = new HopLinks(server, tree, trees, peering);
            FanOut fanOut = new FanOut(
                    links.planned(),
                    (link, backlog) -> peering.watch(link, budget, context.clock(), backlog),
                    ordered,
                    frames,
                    specs.size(),
                    peering.longestFrame());
            links.onLinksChanged(fanOut::add, fanOut::close);
            stripes[route] = new Stripe(fanOut, links);
            firstLinks[route + 1] = firstLinks[route] + links.hops().size();
        }
        if (!trees.repairs()) {
            this.log = null;
            this.resends = null;
            return;
        }
        long version = membership.plan().start().clock();
        this.log = new FrameLog(
                context.retainBytes(), peering.longestFrame(), specs.size(), stripes.length, version, releases);
        SkippedChildren skipped = new SkippedChildren(membership, context.errorHandler());
        for (int route = 0; route < stripes.length; route++) {
            stripes[route].fanOut().record(log.of(route));
            stripes[route].fanOut().skipStanding(context.relayPatienceNs(), skipped);
        }
        FrameWriter writer = new FrameWriter(
                membership.plan(), server, null, membership.sealing().newSeal());
        SingleWriterCounter resent = membership.counters().counter(CounterType.NODE_FRAMES_RESENT);
        this.resends = new Resends(
                log,
                peering::resendLinkTo,
                link -> peering.pace(link, budget),
                context.clock(),
                writer,
                settings.workerPlaces(),
                resent);
    }

    /** Digest of the trees that were planned first. */
    @Override
    public int plannedTrees() {
        return trees.planned();
    }

    /** Number of routes. */
    int routes() {
        return stripes.length;
    }

    /** The route of a slice of this server. */
    int route(int table, int slice) {
        RouteTable routes = trees.routes();
        return routes.route(routes.tree(server, table, slice));
    }

    FanOut fanOut(int route) {
        return stripes[route].fanOut();
    }

    /** Starts the stream of a table on a route, with a version. */
    TableStream newStream(int table, int route, FrameWriter writer, long version) {
        TableStream tableStream = new TableStream(table, route, fanOut(route), writer, version);
        if (isReplaying) {
            replayed = ArrayUtil.add(replayed, tableStream);
        }
        return tableStream;
    }

    /**
     * Whether frames of the version after this one may be queued. A server that has rejoined finalises versions without
     * waiting for workers, because their pushes are repeated: a version of one table could overtake an earlier one of
     * another table. A worker that rejoins defers the later version until it has computed on the earlier one, which
     * would be behind it in the same log. So a version waits until all frames of the one before have left the queues.
     */
    boolean mayFollow(long version) {
        if (version <= replayedVersion) {
            return true;
        }
        for (TableStream tableStream : replayed) {
            if (tableStream.ledger().round() <= version) {
                return false;
            }
        }
        replayedVersion = version;
        return true;
    }

    /** The watches of the links, route by route. */
    List<LinkWatch> watches() {
        return Arrays.stream(stripes)
                .flatMap(stripe -> stripe.fanOut().watches().stream())
                .toList();
    }

    /** For each link, in the order of {@link #watches()}, whether its receiver is a relay. */
    boolean[] toRelays() {
        boolean[] toRelays = new boolean[firstLinks[stripes.length]];
        for (int route = 0; route < stripes.length; route++) {
            BroadcastTree tree = trees.trees().get(trees.routes().tree(server, route));
            for (int link = firstLinks[route]; link < firstLinks[route + 1]; link++) {
                Hop hop = stripes[route].links().hops().get(link - firstLinks[route]);
                toRelays[link] = !hop.sharedMemory() && tree.relays(hop.to().getFirst());
            }
        }
        return toRelays;
    }

    /** Number of frames that every route could accept now; 0 if a frame waits or a budget is used up. */
    int spare() {
        int frames = Integer.MAX_VALUE;
        for (Stripe stripe : stripes) {
            frames = Math.min(frames, stripe.fanOut().spare());
        }
        return frames;
    }

    /** Repeats missing frames to a worker; false if no frames are retained or there is no such route. */
    @Override
    public boolean resend(int worker, boolean relay, int table, int route, long version, int sequence) {
        boolean kept = null != resends && route < stripes.length;
        if (kept) {
            resends.ask(worker, relay, log.tableStream(table, route), version, sequence);
        }
        return kept;
    }

    /**
     * Sends frames that the links accept now, and repeats requested frames, which have a turn like a route. Starts
     * after the turn that sent last, so that all turns share the budget. Returns the number of frames.
     */
    @Override
    public int work(long nowNs) {
        int turns = null == resends ? stripes.length : stripes.length + 1;
        int frames = 0;
        int from = first;
        for (int i = 0; i < turns; i++) {
            int turn = (from + i) % turns;
            int sent = turn < stripes.length ? stripes[turn].fanOut().flush() : resends.work(nowNs);
            if (sent > 0) {
                first = (turn + 1) % turns;
            }
            frames += sent;
        }
        return frames;
    }

    @Override
    public long framesResent() {
        return null == resends ? 0 : resends.frames();
    }

    /** Replaces the trees by the trees of the adopted state. */
    @Override
    public void follow(ClusterState state) {
        while (trees.follow(state)) {
            followTrees();
        }
    }

    private void followTrees() {
        for (Stripe stripe : stripes) {
            stripe.links().follow();
        }
    }

    /** Sends to a rejoined worker from the next frame on; the worker requests earlier frames that it misses. */
    @Override
    public void reopen(int worker) {
        forget(worker);
        for (Stripe stripe : stripes) {
            stripe.links().reopen(membership.plan().workerNode(worker));
        }
    }

    /** In an elastic job, starts to send to a worker that joins, or stops sending to one that has left. */
    @Override
    public void sendTo(ClusterState state, int worker, boolean takesPart) {
        follow(state);
        if (!takesPart) {
            forget(worker);
        }
        if (trees.sendTo(worker, takesPart)) {
            followTrees();
        }
    }

    /** Whether a worker receives broadcasts, or may receive them if the worker set never changes. */
    @Override
    public boolean sendsTo(int worker) {
        return trees.sendsTo(worker);
    }

    /** Stops repeating frames to a lost worker. */
    @Override
    public void forget(int worker) {
        if (null != resends) {
            resends.forget(worker);
        }
    }

    /** Tells a listener the number of each initial link that this server gives up. */
    void onGivenUp(IntConsumer listener) {
        givenUp = listener;
    }

    @Override
    public void giveUp(IntPredicate isGone) {
        for (int route = 0; route < stripes.length; route++) {
            int before = firstLinks[route];
            int planned = firstLinks[route + 1] - before;
            stripes[route].links().closeIf(isGone, link -> {
                if (link < planned) {
                    givenUp.accept(before + link);
                }
            });
        }
    }

    @Override
    public long bytes() {
        return Arrays.stream(stripes)
                .mapToLong(stripe -> stripe.links().bytes())
                .sum();
    }
}
