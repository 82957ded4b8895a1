package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.SealTrailer;
import io.sluice.consistency.membership.ClusterState;
import io.sluice.consistency.membership.ClusterState.Presence;
import io.sluice.consistency.membership.Membership;
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

/**
 * The ways of a worker's pushes, one for each place of a server: the trainer's channel, the queue, and the sender that
 * empties it. Where servers come and go, a place may be empty, and the link to who comes there is opened when it does.
 */
final class PushRoutes implements AutoCloseable {
    /** Where frames go into the log at once, there is one being written and one that the log refused. */
    private static final int DIRECT_FRAMES = 2;

    private final Membership membership;
    private final Peering peering;
    private final WorkerContext context;
    private final NodeBudget budget;
    private final PushSender[] senders;
    private final PushChannel[] channels;
    private final Sending sending;

    /** Dropped of what servers ask for. */
    private final LongSupplier rejected;

    /**
     * What all ways have to do with.
     *
     * @param specs        all tables
     * @param plannedTrees to declare with them, where that is done again
     * @param frames       the sending thread's writer
     * @param direct       whether frames go into the log at once
     */
    record Load(List<TableSpec> specs, int plannedTrees, FrameWriter frames, boolean direct) {}

    /** Opens links to those who are there. */
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
        PushQueue[] queues = new PushQueue[settings.serverPlaces()];
        Arrays.setAll(queues, server -> newQueue(load));
        this.senders = new PushSender[queues.length];
        Arrays.setAll(senders, server -> newSender(server, queues[server], load));
        boolean asks = IntStream.range(0, senders.length).anyMatch(this::mayBeLost);
        IntSupplier taken = () -> 0;
        if (asks) {
            PushRequests requests = new PushRequests(membership, peering, senders, load.specs.size());
            taken = requests::poll;
            this.rejected = requests::rejected;
        } else {
            this.rejected = () -> 0;
        }
        this.sending = Sending.of(context.sendingMode(settings), membership, senders, taken, context.clock());
        this.channels = new PushChannel[queues.length];
        Arrays.setAll(
                channels,
                server -> new PushChannel(
                        server,
                        queues[server],
                        sending,
                        membership,
                        view,
                        context.clock(),
                        context.newIdleStrategy(),
                        membership.patience(context.progressNs()),
                        () -> peering.linkInWords(server),
                        stats,
                        settings.queues() ? senders[server].merged() : null)); // else nothing waits to be merged with
    }

    private PushQueue newQueue(Load load) {
        int keys = load.specs.stream().mapToInt(TableSpec::slices).sum();
        int room = FrameBuffer.roomForDataFrames(membership.plan().settings().sliceElements());
        int frames = load.direct ? DIRECT_FRAMES : context.outboxFrames();
        return new PushQueue(frames, room, load.specs.size(), keys, context.clock());
    }

    private boolean mayBeLost(int server) {
        return membership.plan().settings().isElastic() || peering.pushesMayBeLost(server);
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
        PushLog log = newLog(load.specs);
        PushRepair repair = newRepair(server, log, load);
        return waits()
                ? new RepeatingSender.ToReturning(parts, log, repair, membership::state)
                : new RepeatingSender(parts, log, repair);
    }

    private boolean waits() {
        return membership.plan().settings().awaitsTheDead();
    }

    private PushLog newLog(List<TableSpec> specs) {
        ClusterSettings settings = membership.plan().settings();
        int share = context.retainBytes() / settings.serverPlaces();
        int longest = peering.longestFrame();
        if (waits()) {
            return PushLog.sinceSnapshot(membership, share, longest, specs.size());
        }
        long begun = membership.plan().start().clock();
        int slices = specs.stream().mapToInt(TableSpec::slices).sum();
        int frames = slices / settings.servers() + 1 + specs.size();
        long bytes = specs.stream().mapToLong(TableSpec::elements).sum() * Float.BYTES / settings.servers()
                + (long) frames * (Frame.DATA_LENGTH + SealTrailer.LENGTH);
        PushLog.Round round = new PushLog.Round(bytes, frames);
        return PushLog.untilTaken(Policies.rule(settings), share, longest, specs.size(), begun, round);
    }

    private PushRepair newRepair(int server, PushLog log, Load load) {
        SingleWriterCounter resent = membership.counters().counter(CounterType.NODE_PUSHES_REPEATED);
        return new PushRepair(
                log.frames(),
                server,
                load.frames,
                load.specs,
                load.plannedTrees,
                (failure, what) -> gone(server, failure, what),
                resent);
    }

    private void gone(int server, Failure failure, String what) {
        throw membership.fail(
                failure,
                membership.plan().nameOf(server) + " " + what + "; raise " + NodeContext.RETAIN_PROPERTY
                        + (waits() ? ", or take snapshots more often" : ""));
    }

    /** Requests of servers that were dropped. */
    long rejected() {
        return rejected.getAsLong();
    }

    /** Of a place that no node has, or whose server cannot be sent to and is not needed so far: null. */
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
            return null; // who is not reached by all workers is never needed (decision 10)
        }
    }

    /** Begins to send where that is not left to the trainer's calls. */
    void start() {
        sending.start(context.newIdleStrategy(), context.errorHandler());
    }

    /** Tells the rates of all links, in the order of places; null where there is no link, or none over the network. */
    void addRates(Collection<DeliveryRate> rates) {
        for (int server = 0; server < senders.length; server++) {
            if (membership.state().workerSets().owns(server)) {
                rates.add(senders[server].rate());
            }
        }
    }

    /** Whether what is published now for a server reaches the one that has its place in this life of it. */
    boolean leadsTo(int server, int incarnation) {
        return senders[server].leadsTo(incarnation);
    }

    /** Pushes begin with a round. */
    void goOnFrom(long round) {
        Arrays.stream(senders).forEach(sender -> sender.goOnFrom(round));
    }

    /** Waits until links have taken all that was published: for a server that comes, nothing before it is reached. */
    void settle() {
        for (PushChannel channel : channels) {
            channel.settle();
        }
    }

    PushChannel channel(int server) {
        return channels[server];
    }

    int servers() {
        return channels.length;
    }

    /** What the end of a clock takes: where nothing else sends, what is published must not wait for the next one. */
    Runnable endOfClock() {
        return sending.isInvoked() ? this::settle : () -> {};
    }

    /** Sends if that is for the trainer's calls to do; returns the number of frames. */
    int invoke() {
        return sending.invoke();
    }

    long bytes() {
        long bytes = 0;
        for (PushSender sender : senders) {
            bytes += sender.bytes();
        }
        return bytes;
    }

    @Override
    public void close() {
        sending.close();
    }
}
