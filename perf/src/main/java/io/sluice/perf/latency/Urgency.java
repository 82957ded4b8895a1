package io.sluice.perf.latency;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameChecksum;
import io.sluice.codecs.FrameValidator;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.console.UnavailableException;
import io.sluice.messaging.Channels;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.Inbox;
import io.sluice.messaging.Link;
import io.sluice.messaging.Transport;
import io.sluice.messaging.api.Budget;
import io.sluice.messaging.api.Endpoint;
import io.sluice.messaging.driver.ChannelSettings;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Outbox;
import io.sluice.messaging.outbox.Pacing;
import io.sluice.messaging.outbox.SliceOrders;
import io.sluice.perf.cluster.Cluster;
import io.sluice.perf.experiment.Column;
import io.sluice.perf.experiment.Experiment;
import io.sluice.perf.experiment.Layout;
import io.sluice.perf.experiment.Parameter;
import io.sluice.perf.experiment.Sample;
import io.sluice.perf.experiment.Scenario;
import io.sluice.perf.experiment.Settings;
import io.sluice.perf.experiment.TableSize;
import io.sluice.perf.lab.Host;
import io.sluice.perf.lab.LabPlan;
import io.sluice.perf.nodes.PollingThread;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/** Measures how fast an urgent slice overtakes others on a link of the network lab. */
public final class Urgency extends Experiment<String> {
    /** Length of a datagram's headers: Ethernet 14, IPv4 20 and UDP 8 bytes. */
    private static final int DATAGRAM_HEADERS = 42;

    /** The share of the link that the budget uses; the remainder prevents queues below it. */
    private static final double USED = 0.98;

    /** Number of slices that arrive before the urgent one is handed over, so that the link is busy. */
    private static final int UNDER_WAY = 40;

    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long DRIVER_PARK_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long POLL_NS = 200_000;
    private static final double BITS_PER_MS = 8e3;
    private static final double NS_PER_MS = 1e6;
    private static final Parameter<TableSize> QUEUED =
            Parameter.size("queued", "64mib").help("Size of the slices that wait when the urgent one is handed over");
    private static final Parameter<Long> RATE = Parameter.rate("rate", "1gbit").help("Rate of the link");

    public static final Scenario SCENARIO = new Scenario(
            "urgency",
            List.of(
                    "Measures how long an urgent slice takes to overtake others that wait for the same link.",
                    "Slices of 16,320 f32 of a later layer are queued, then one of the first layer; by order of layers"
                            + " and first come, first served.",
                    "Needs Linux and root: the link is in a network lab."),
            9,
            Parameter.declaredBy(Urgency.class),
            new Layout(
                    row -> "urgent slice over a link of " + row.mbit("link_rate"),
                    Column.list(
                            Column.fact("order").shown("order"),
                            Column.min("queued_bytes", "queued_bytes").whole().shown("queued MB", "%.1f", 1e-6),
                            Column.facts("link_rate", "budget_rate"),
                            Column.fact("slice_ms").shown("slice ms", "%.2f").note("transfer time of a slice"),
                            Column.count("runs", "ms"),
                            Column.median("median_ms", "ms")
                                    .shown("median ms", "%.2f")
                                    .note("from the hand-over of the urgent slice until the receiver has it"),
                            Column.max("worst_ms", "ms").shown("worst ms", "%.2f"),
                            Column.quotient("slice_times", "median_ms", "slice_ms")
                                    .shown("slice times", "%.1f"))),
            Urgency::new);

    private final long rate;
    private final int slices;
    private Cluster cluster;
    private Receiver receiver;
    private Transport sender;
    private Link link;
    private int run;

    /** The slice that the sender has taken and not sent, between two of its polls. */
    private int inHand = Outbox.NONE;

    private Urgency(Settings settings) {
        super(settings);
        rate = get(RATE);
        slices = (int) Math.ceilDiv(get(QUEUED).elements(), UrgentSlices.ELEMENTS);
    }

    @Override
    public List<String> variants() {
        return List.of("layer", "fifo");
    }

    @Override
    public String introduction() {
        return "packets of 1,500 bytes; the sender is configured with the rate of the link and leaves 2 % of it free";
    }

    /** Both ends are threads of this process, started on their hosts, so they share a clock. */
    @Override
    public void open() throws IOException, InterruptedException {
        cluster = closing(Cluster.build(
                new LabPlan().hosts(2).rate(rate),
                List.of(0),
                List.of(1),
                new ChannelSettings(),
                context -> context.idleParkNs(DRIVER_PARK_NS)));
        Host from = cluster.serverHost(0);
        Host to = cluster.workerHost(0);
        receiver = closing(to.call(() -> new Receiver(cluster.connect(to), to.address())));
        sender = closing(from.call(() -> cluster.connect(from)));
        link = from.call(this::link);
    }

    /** Opens the link in two steps, because a frame's length in the log depends on the link's MTU. */
    private Link link() {
        String channel = sender.channels().bulkUdpTo(receiver.inbox.endpoint());
        int longest;
        try (Link full = sender.openLink("urgency", channel, UrgentSlices.STREAM + 1)) {
            longest = full.lengthInLog(UrgentSlices.LENGTH);
        }
        Link opened = sender.openLink("urgency", Channels.shortened(channel, longest), UrgentSlices.STREAM);
        opened.awaitConnected(CONNECT_NS, SystemNanoClock.INSTANCE, new BackoffIdleStrategy());
        return opened;
    }

    /** Rate of log bytes that nearly fills the link, bits per second. */
    private long budgetRate() {
        return (long) (rate * USED * link.lengthInLog(UrgentSlices.LENGTH) / onWire());
    }

    /** Number of bytes of a slice on the link. */
    private double onWire() {
        int log = link.lengthInLog(UrgentSlices.LENGTH);
        int mtu = link.maxUnfragmentedLength()
                + ChannelSettings.MAX_MTU
                - Channels.maxUnfragmentedLength(ChannelSettings.MAX_MTU);
        return log + Math.ceilDiv(log, mtu) * (double) DATAGRAM_HEADERS;
    }

    /** Queues slices, then an urgent one, and measures when the urgent slice arrives. */
    @Override
    public List<Sample> measure(String order) {
        Outbox outbox = UrgentSlices.newOutbox(slices + UNDER_WAY + 1);
        UrgentSlices source = new UrgentSlices(outbox, SliceOrders.named(order));
        for (int slice = 0; slice < slices + UNDER_WAY; slice++) {
            source.publish(UrgentSlices.OTHER, slice);
        }
        Budget budget = new Budget(budgetRate(), link.lengthInLog(UrgentSlices.LENGTH));
        Pacing pacing =
                new NodeBudget(budget, Budget.NONE, SystemNanoClock.INSTANCE).pace(link, UrgentSlices.LENGTH, null);
        long before = receiver.frames;
        run++;
        try (PollingThread _ = new PollingThread(
                "urgency-sender", new BackoffIdleStrategy(10, 20, 1_000, 50_000), () -> send(outbox, pacing))) {
            await("slices are in flight", () -> receiver.frames >= before + UNDER_WAY);
            double queued = (double) outbox.backlog() * UrgentSlices.LENGTH;
            long startNs = System.nanoTime();
            source.publish(UrgentSlices.URGENT, run);
            await("the urgent slice has arrived", () -> receiver.urgentRun >= run);
            double ms = (receiver.urgentAtNs - startNs) / NS_PER_MS;
            await("all slices have arrived", () -> receiver.frames >= before + slices + UNDER_WAY + 1);
            return List.of(new Sample()
                    .fact("order", order)
                    .fact("link_rate", rate)
                    .fact("budget_rate", budgetRate())
                    .fact("slice_ms", onWire() * BITS_PER_MS / rate)
                    .figure("queued_bytes", queued)
                    .figure("ms", ms));
        }
    }

    /** Sends waiting slices within the budget, like a worker with an order. */
    private int send(Outbox outbox, Pacing pacing) {
        if (inHand == Outbox.NONE && link.room() > 0 && pacing.admits(UrgentSlices.LENGTH)) {
            inHand = outbox.take();
        }
        if (inHand == Outbox.NONE || !link.offer(outbox.frame(inHand).buffer(), 0, UrgentSlices.LENGTH)) {
            return 0;
        }
        pacing.onSent(UrgentSlices.LENGTH);
        outbox.release(inHand);
        inHand = Outbox.NONE;
        return 1;
    }

    private void await(String what, BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            receiver.thread.requireSound();
            if (System.nanoTime() - startNs > PATIENCE_NS) {
                throw new UnavailableException("not reached within 60 s: " + what);
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** Receives all slices on a thread of its own, and records when an urgent one arrives. */
    private static final class Receiver implements FrameHandler, AutoCloseable {
        private static final int LIMIT = 32;

        private final Transport transport;
        private final Inbox inbox;
        private final PollingThread thread;
        private final MessageHeaderDecoder header = new MessageHeaderDecoder();
        private final DataDecoder data = new DataDecoder();
        private volatile long frames;
        private volatile int urgentRun = -1;
        private volatile long urgentAtNs;

        Receiver(Transport transport, String address) {
            this.transport = transport;
            FrameValidator validator = new FrameValidator(UrgentSlices.CLUSTER, new FrameChecksum());
            inbox = transport.openUdpInbox("urgency", new Endpoint(address, 0), UrgentSlices.STREAM, validator, this);
            thread = new PollingThread(
                    "urgency-receiver", new BackoffIdleStrategy(10, 20, 1_000, 50_000), () -> inbox.poll(LIMIT));
        }

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by one thread
        public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
            if (Frame.templateId(buffer, offset) == DataDecoder.TEMPLATE_ID) {
                data.wrapAndApplyHeader(buffer, offset, header);
                if (data.table() == UrgentSlices.URGENT) {
                    urgentAtNs = System.nanoTime();
                    urgentRun = data.slice();
                }
                frames = frames + 1;
            }
            return Action.CONTINUE;
        }

        @Override
        public void close() {
            CloseHelper.closeAll(thread, transport);
        }
    }
}
