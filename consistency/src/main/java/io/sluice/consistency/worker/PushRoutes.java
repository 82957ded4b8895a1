package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.SealTrailer;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.Presence;
import io.sluice.consistency.node.NodeContext;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.consistency.wire.Peering;
import io.sluice.messaging.api.MessagingException;
import io.sluice.messaging.bandwidth.DeliveryRate;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;
import io.sluice.messaging.outbox.LinkWatch;
import io.sluice.messaging.outbox.NodeBudget;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.agrona.concurrent.IdleStrategy;

/**
 * The push paths of a worker, one for each place of a server: the trainer's channel, the queue, and the sender that
 * empties it. In elastic jobs a place may be empty; its link is opened when a server joins. With protocol peer there is
 * one for each other worker, too.
 */
final class PushRoutes implements AutoCloseable {
    /** Number of frames without a queue: the frame that is being written and a frame that the log refused. */
    private static final int DIRECT_FRAMES = 2;

    private final Membership membership;
    private final Peering peering;
    private final WorkerContext context;
    private final NodeBudget budget;

    /** The nodes to which this worker pushes: places of servers, then other workers. */
    private final int[] receivers;

    /** The sender for each receiver; the following field has the channels in the same order. */
    private final PushSender[] senders;

    private final PushChannel[] channels;

    /** The position of each node among the receivers; that of this worker itself is not used. */
    private final int[] positions;

    private final Sending sending;

    /** Number of dropped requests from servers. */
    private final LongSupplier rejected;

    /**
     * The parts that all push paths share.
     *
     * @param specs        all tables
     * @param factors      factor tables, of which this worker makes the first values
     * @param plannedTrees digest of the trees, declared with the tables when they are declared again
     * @param frames       the sending thread's writer
     * @param direct       whether frames are written into the log without a queue
     * @param takeIn       receives frames of other workers, which may be waiting until this worker reads them
     */
    record Load(
            List<TableSpec> specs,
            FactorTables factors,
            int plannedTrees,
            FrameWriter frames,
            boolean direct,
            IntSupplier takeIn) {}

    /** Opens links to the present servers. */
    PushRoutes(
            Membership membership,
            TrainerView view,
            Peering peering,
            WorkerContext context,
            NodeBudget budget,
            Load load,
            WorkerStats stats) {
        this.membership = membership;
        this.peering = peering;
        this.context = context;
        this.budget = budget;
        ClusterSettings settings = membership.plan().settings();
        int nodes = settings.serverPlaces() + (settings.isPeer() ? settings.workers() : 0);
        this.receivers = IntStream.range(0, nodes)
                .filter(node -> node != membership.node())
                .toArray();
        this.positions = new int[nodes];
        Arrays.setAll(positions, node -> node < membership.node() ? node : node - 1);
        PushQueue[] queues = new PushQueue[receivers.length];
        Arrays.setAll(queues, i -> newQueue(load));
        this.senders = new PushSender[queues.length];
        Arrays.setAll(senders, i -> newSender(receivers[i], queues[i], load));
        IntSupplier taken = () -> 0;
        if (Arrays.stream(receivers).anyMatch(this::mayBeLost)) {
            PushRequests requests = new PushRequests(membership, peering, this::sender, load.specs.size());
            taken = requests::poll;
            this.rejected = requests::rejected;
        } else {
            this.rejected = () -> 0;
        }
        this.sending = Sending.of(context.sendingMode(settings), membership, senders, taken, context.clock());
        this.channels = new PushChannel[queues.length];
        Arrays.setAll(
                channels,
                i -> new PushChannel(
                        membership.plan().nameOf(receivers[i]),
                        receivers[i] < settings.serverPlaces()
                                ? "a worker before this one may not have pushed"
                                : "its trainer may have computed for longer than that",
                        queues[i],
                        sending,
                        load.takeIn,
                        membership,
                        view,
                        context.clock(),
                        context.newIdleStrategy(),
                        membership.patience(context.progressNs()),
                        () -> peering.linkInWords(receivers[i]),
                        stats,
                        // a waiting block can be merged with a newer update only if pushes are queued
                        settings.queues() ? senders[i].merged() : null));
    }

    /** The sender to a node; null if this worker does not push to it. */
    private PushSender sender(int node) {
        return node < positions.length && node != membership.node() ? senders[positions[node]] : null;
    }

    private PushQueue newQueue(Load load) {
        int keys = load.specs.stream().mapToInt(TableSpec::slices).sum();
        int room = FrameBuffer.roomForDataFrames(membership.plan().settings().sliceElements());
        int frames = load.direct ? DIRECT_FRAMES : context.outboxFrames();
        return new PushQueue(frames, room, load.specs.size(), keys, context.clock());
    }

    private boolean mayBeLost(int receiver) {
        return membership.plan().settings().isElastic() || peering.pushesMayBeLost(receiver);
    }

    private PushSender newSender(int server, PushQueue queue, Load load) {
        FollowedLink<LinkWatch> followed =
                new FollowedLink<>(() -> membership.state().member(server).epoch(), () -> watch(server, queue));
        PushSender.Parts parts = new PushSender.Parts(
                followed,
                queue,
                load.frames,
                server,
                peering.longestFrame(),
                membership.plan().settings().isManaged(),
                load.specs.size(),
                membership.plan().start().clock() + 1,
                () -> membership.state().hasGone(server));
        if (!waits() && !mayBeLost(server)) {
            return new PushSender(parts);
        }
        PushLog log = newLog(server, load);
        PushRepair repair = newRepair(server, log, load);
        return waits()
                ? new RepeatingSender.ToReturning(parts, log, repair, membership::state)
                : new RepeatingSender(parts, log, repair);
    }

    private boolean waits() {
        return membership.plan().settings().awaitsTheDead();
    }

    private PushLog newLog(int receiver, Load load) {
        ClusterSettings settings = membership.plan().settings();
        int share = context.retainBytes() / receivers.length;
        int longest = peering.longestFrame();
        if (waits()) {
            return PushLog.sinceSnapshot(membership, share, longest, load.specs.size());
        }
        long begun = membership.plan().start().clock();
        boolean isPeer = receiver >= settings.serverPlaces();
        int owners = isPeer ? 1 : settings.servers();
        long slices = 1;
        long bytes = 0;
        for (TableSpec spec : load.specs) {
            if (isPeer == (spec.consumed() && settings.isPeer())) { // all of a worker's vectors may have one owner
                long most = spec.consumed() ? load.factors.slicesOfRound(spec) : spec.slices() / owners;
                slices += most;
                bytes += Math.min((most + 1) * spec.sliceElements(), spec.elements()) * Float.BYTES;
            }
        }
        int frames = Math.toIntExact(slices) + load.specs.size();
        long headers = (long) frames * (Frame.DATA_LENGTH + Policies.tagLength(settings) + SealTrailer.LENGTH);
        PushLog.Round round = new PushLog.Round(bytes + headers, frames);
        return PushLog.untilTaken(Policies.rule(settings), isPeer, share, longest, load.specs.size(), begun, round);
    }

    private PushRepair newRepair(int server, PushLog log, Load load) {
        SingleWriterCounter resent = membership.counters().counter(CounterType.NODE_PUSHES_REPEATED);
        return new PushRepair(
                log.frames(),
                server,
                load.frames,
                load.specs,
                load.plannedTrees,
                load.factors::digest,
                (failure, what) -> gone(server, failure, what),
                resent);
    }

    private void gone(int server, Failure failure, String what) {
        throw membership.fail(
                failure,
                membership.plan().nameOf(server) + " " + what + "; raise " + NodeContext.RETAIN_PROPERTY
                        + (waits() ? ", or take snapshots more often" : ""));
    }

    /** Number of dropped requests from servers. */
    long rejected() {
        return rejected.getAsLong();
    }

    /** The watch of a link; null if the place is empty, or its server is not needed yet and not reachable. */
    private LinkWatch watch(int server, PushQueue queue) {
        ClusterState state = membership.state();
        if (Presence.VACANT == state.member(server).presence()) {
            return null;
        }
        try {
            return peering.watch(peering.pushLinkTo(server), budget, context.clock(), queue);
        } catch (MessagingException e) {
            boolean wasBefore =
                    state.member(server).epoch() <= membership.plan().epoch();
            boolean isOfStart = wasBefore && !membership.plan().isOfNewcomer();
            if (isOfStart || state.workerSets().owns(server)) {
                throw e;
            }
            context.errorHandler().onError(e);
            return null; // a server that some worker does not reach owns no slices (decision 7)
        }
    }

    /** Starts the sending thread, unless the trainer's own calls do the sending. */
    void start(IdleStrategy idle) {
        sending.start(idle, context.errorHandler());
    }

    /**
     * Appends to {@code rates} the rate of the link to each owner of slices, in the order of places; null if it is not
     * over the network.
     */
    void addRates(Collection<DeliveryRate> rates) {
        for (int i = 0; i < senders.length; i++) {
            if (membership.state().workerSets().owns(receivers[i])) {
                rates.add(senders[i].rate());
            }
        }
    }

    /** Whether frames published now for a server reach this incarnation of its place. */
    boolean leadsTo(int server, int incarnation) {
        return senders[positions[server]].leadsTo(incarnation);
    }

    /** Sets the round with which pushes start. */
    void continueFrom(long round) {
        Arrays.stream(senders).forEach(sender -> sender.continueFrom(round));
    }

    /**
     * Waits until links have accepted all published frames; nothing is published for a server that is not reached yet.
     */
    void settle() {
        for (PushChannel channel : channels) {
            channel.settle();
        }
    }

    PushChannel channel(int node) {
        return channels[positions[node]];
    }

    /** Number of nodes to which this worker pushes. */
    int receivers() {
        return receivers.length;
    }

    /** One of the nodes to which this worker pushes; servers come first. */
    int receiver(int position) {
        return receivers[position];
    }

    /** The action at the end of a clock: without a sending thread it sends all published frames. */
    Runnable endOfClock() {
        return sending.isInvoked() ? this::settle : () -> {};
    }

    /** Sends, if the trainer's own calls do the sending; returns the number of frames. */
    int invoke() {
        return sending.invoke();
    }

    /** Bytes sent to servers. */
    long bytes() {
        return bytes(0, membership.plan().settings().serverPlaces());
    }

    /** Bytes sent to other workers. */
    long bytesToPeers() {
        return bytes(membership.plan().settings().serverPlaces(), receivers.length);
    }

    private long bytes(int from, int to) {
        long bytes = 0;
        for (int i = from; i < to; i++) {
            bytes += senders[i].bytes();
        }
        return bytes;
    }

    @Override
    public void close() {
        sending.close();
    }
}
