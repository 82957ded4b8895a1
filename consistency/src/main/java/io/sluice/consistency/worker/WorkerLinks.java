package io.sluice.consistency.worker;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.api.CompressionReport;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.JoinRequest;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.NodeTransport;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableTerms;
import io.sluice.consistency.terms.ThreadingMode;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Gaps;
import io.sluice.consistency.wire.Inboxes;
import io.sluice.consistency.wire.LiveTrees;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.Transport;
import io.sluice.messaging.counters.CounterType;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.CloseHelper;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * A worker's connections: the membership and, once {@link WorkerAssembly} has opened them, a channel to each server,
 * the inboxes for broadcasts and replies, and a relay if it has children.
 */
final class WorkerLinks implements AutoCloseable {
    private static final long NOT_STARTED = -1;

    private final Transport transport;
    private final Membership membership;
    private final WorkerContext context;
    private final ClusterPlan plan;
    private final TrainerView view;
    private final FrameWriter writer;

    /** The writer of pushed frames, for the sending thread. */
    private final FrameWriter frames;

    private final Peering peering;

    /** Routes of pushes; null before the links are opened, like the following fields. */
    private PushRoutes pushes;

    private Inboxes inboxes;

    /** Inboxes of frames of other workers; also null if no other worker sends to this one. */
    private Inboxes peers;

    /** Gaps in the frames of other workers. */
    private Gaps missing = Gaps.NONE;

    /** Trees of broadcasts; also null if broadcasts are replies to pulls. */
    private LiveTrees trees;

    /** This worker's relay; also null if this worker is not a relay. */
    private Relaying relaying;

    private WorkerLinks(Transport transport, Membership membership, WorkerContext context) {
        this.transport = transport;
        this.membership = membership;
        this.context = context;
        this.plan = membership.plan();
        this.view = new TrainerView(membership);
        this.peering = new Peering(transport, membership, context.flightBytes());
        this.writer = new FrameWriter(
                plan, membership.node(), null, membership.sealing().newSeal());
        this.frames = new FrameWriter(
                plan,
                membership.node(),
                membership.counters(),
                membership.sealing().newSeal());
    }

    static WorkerLinks join(WorkerContext context) {
        Transport transport = NodeTransport.connect(context, false);
        Membership membership = null;
        try {
            membership = Membership.join(transport, JoinRequest.of(context, Role.WORKER, transport::report));
            context.requireCores(membership.plan().settings(), false);
            WorkerLinks links = new WorkerLinks(transport, membership, context);
            links.requireMemory();
            return links;
        } catch (RuntimeException | Error e) {
            abandon(membership, transport, e);
            throw e;
        }
    }

    /** Leaves after an exception that ends the start of the worker, and releases all resources. */
    void abandon(Throwable cause) {
        abandon(membership, transport, cause);
    }

    private static void abandon(Membership membership, Transport transport, Throwable cause) {
        try {
            if (null != membership) {
                membership.failed(cause);
                membership.leave(NOT_STARTED);
            }
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        } finally {
            CloseHelper.quietCloseAll(membership, transport);
        }
    }

    /** Refuses a queue length for which the queue of a link, one piece of memory, would be too long under the terms. */
    private void requireMemory() {
        int room = FrameBuffer.roomForDataFrames(plan.settings().sliceElements());
        int most = FrameBuffer.mostOf(room);
        if (!isDirect() && context.outboxFrames() > most) {
            throw new IllegalArgumentException("outboxFrames is " + context.outboxFrames() + ", expected up to " + most
                    + " with slices of " + plan.settings().sliceElements()
                    + " elements: each link takes that many frames of " + room
                    + " bytes, below 2 GiB together; choose fewer frames or smaller slices");
        }
    }

    /** Starts to receive broadcasts, by trees or as replies to pulls. */
    void receive(Inboxes newInboxes, LiveTrees newTrees) {
        inboxes = newInboxes;
        trees = newTrees;
    }

    /** Starts to receive from other workers. */
    void receiveFromPeers(Inboxes newPeers, Gaps newMissing) {
        peers = newPeers;
        missing = newMissing;
    }

    void relay(Relaying newRelaying) {
        relaying = newRelaying;
    }

    void push(PushRoutes newPushes) {
        pushes = newPushes;
    }

    /** Whether updates are written into the log without a queue, so nothing waits when a call returns. */
    boolean isDirect() {
        return ThreadingMode.INVOKER == context.sendingMode(plan.settings())
                && !plan.settings().queues();
    }

    Transport transport() {
        return transport;
    }

    Membership membership() {
        return membership;
    }

    WorkerContext context() {
        return context;
    }

    /** The view of the trainer's thread. */
    TrainerView view() {
        return view;
    }

    Peering peering() {
        return peering;
    }

    /** The digest of the broadcast trees, to be declared. */
    int plannedTrees() {
        return null == trees ? 0 : trees.planned();
    }

    /** The links by which this worker pushes. */
    PushRoutes pushes() {
        return pushes;
    }

    /** Sets the clock after which pushes start. */
    void continueFrom(long clock) {
        pushes.continueFrom(clock + 1);
    }

    /** Waits until links have accepted all published frames. */
    void settle() {
        if (null != pushes) {
            pushes.settle();
        }
    }

    /** Waits until this worker's children have received all versions that they can still wait for. */
    void finishRelaying(long version) {
        if (null != relaying) {
            inboxes.close(); // the relay must not wait for a trainer that no longer reads
            relaying.finish(version, context.progressNs(), idle());
        }
    }

    /** Sends, if the trainer's own calls do the sending; returns the number of frames. */
    int invoke() {
        return null == pushes ? 0 : pushes.invoke();
    }

    /** Creates the counters of the trainer's calls, and those that name the terms. */
    WorkerStats newStats() {
        nameTerms();
        return new WorkerStats(
                membership.counters(),
                transport.counters().agent("update"),
                transport.counters().agent("sync"));
    }

    /** Names the terms of the job to other processes, by a counter for each. */
    private void nameTerms() {
        ClusterSettings terms = plan.settings();
        Map<String, Object> named = new LinkedHashMap<>();
        if (!terms.isElastic()) {
            named.put("workers", terms.workers());
        }
        named.put("servers", terms.servers());
        named.put("protocol", terms.protocol().configName());
        named.put("consistency", terms.consistency());
        named.put("tree", terms.tree());
        named.put("order", terms.order());
        named.put("link_rate", terms.linkRate());
        named.put("values", terms.summary(table -> table.values().configName()));
        named.put("slice", terms.sliceElements());
        named.put("filters", !terms.summary(TableTerms::filter).equals("none"));
        named.put(
                "filters_broadcasts",
                terms.summary(TableTerms::filter).equals(terms.summary(TableTerms::broadcastFilter)));
        named.forEach((name, value) -> membership
                .counters()
                .counter(CounterType.NODE_TERM, name + "=" + value)
                .set(1));
    }

    /** Describes the node that makes the frames of a tree, and the link on which they arrive. */
    String delivery(int tree) {
        if (null == trees) {
            return plan.nameOf(tree) + " from " + plan.nameOf(tree) + " to " + membership.endpoint();
        }
        int peer = tree - trees.trees().size();
        if (peer >= 0) {
            return "worker " + peer + " by " + peering.linkInWords(membership.node());
        }
        return plan.nameOf(trees.routes().root(tree)) + " from "
                + peering.deliveryInWords(trees.trees().get(tree));
    }

    NanoClock clock() {
        return context.clock();
    }

    /** The idle strategy of a thread that waits for another thread of this process. */
    IdleStrategy idle() {
        return context.newIdleStrategy();
    }

    /** The idle strategy of a thread that waits for frames or until links accept frames. */
    IdleStrategy idleOnBell() {
        return transport.idleOnBell(context.newIdleStrategy());
    }

    long progressNs() {
        return context.progressNs();
    }

    /** Compression statistics of the data frames sent so far. */
    CompressionReport compression() {
        return frames.compression();
    }

    /** The writer of declarations and requests. Only the trainer's thread may use it. */
    FrameWriter writer() {
        return writer;
    }

    /** The writer of pushed frames. Only the sending thread may use it. */
    FrameWriter frames() {
        return frames;
    }

    int servers() {
        return plan.settings().serverPlaces();
    }

    PushChannel channel(int server) {
        return pushes.channel(server);
    }

    /** Advances the view, then processes frames. */
    int poll(int limit) {
        view.advance();
        return inboxes.poll(limit) + takeIn(limit);
    }

    /** Takes in frames of other workers, if they send to this one, and requests those that are missing. */
    int takeIn(int limit) {
        return null == peers ? 0 : peers.poll(limit) + missing.work(clock().nanoTime());
    }

    /** Starts to measure the silence of other workers, because this worker has not polled until now. */
    void listen(long nowNs) {
        missing.listen(nowNs);
    }

    void rejectOfPeer(Rejection rejection) {
        peers.reject(rejection);
    }

    void reject(Rejection rejection) {
        inboxes.reject(rejection);
    }

    long framesRejected() {
        return (null == inboxes ? 0 : inboxes.rejected())
                + (null == peers ? 0 : peers.rejected())
                + (null == relaying ? 0 : relaying.rejected())
                + (null == pushes ? 0 : pushes.rejected())
                + membership.rejected();
    }

    long bytesRelayed() {
        return null == relaying ? 0 : relaying.bytes();
    }

    long bytesToPeers() {
        return null == pushes ? 0 : pushes.bytesToPeers();
    }

    long bytesPushed() {
        return null == pushes ? 0 : pushes.bytes();
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(pushes, relaying, membership, transport);
    }
}
