package io.sluice.consistency.wire;

import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.Incarnation;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.messaging.Link;
import io.sluice.messaging.outbox.NodeBudget;
import io.sluice.messaging.outbox.Pacing;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * Transfers state to other nodes, each on a link of its own: the parameters of a version to a worker that joins, and
 * the sums, rule state and parameters of moving slices to another server. State is sent dense and in f32, with a round
 * commit behind each load; {@link StateReceiver} is the other end.
 *
 * <p>For one thread. A frame is written once the previous frame is sent, so memory for one frame per receiver suffices.
 */
public final class StateSender {
    private static final int BURST = 16;
    private static final long KEEP_NS = TimeUnit.SECONDS.toNanos(10);

    private final Peering peering;
    private final NodeBudget budget;
    private final FrameWriter writer;
    private final int sliceElements;
    private final NanoClock clock;

    /** The line to each node; null where nothing is sent. */
    private final Line[] lines;

    private int open;

    /**
     * Slices of one table, whose content must not change before it is sent.
     *
     * @param spec    the table
     * @param version version of the content
     * @param slices  numbers of the slices
     * @param offsets offset of each slice in each store, in bytes
     * @param stores  stores of equal layout; each slice makes a frame from each store, in this order
     */
    public record Load(TableSpec spec, long version, int[] slices, long[] offsets, MemorySegment... stores) {}

    /**
     * Creates a sender without links.
     *
     * @param peering       opens links
     * @param budget        budget of this node
     * @param writer        writer of this node, for this class alone: each message is for one receiver
     * @param sliceElements elements of the longest slice
     * @param clock         clock by which unused links are closed
     * @param nodes         number of places
     */
    public StateSender(
            Peering peering, NodeBudget budget, FrameWriter writer, int sliceElements, NanoClock clock, int nodes) {
        this.peering = peering;
        this.budget = budget;
        this.writer = writer;
        this.sliceElements = sliceElements;
        this.clock = clock;
        this.lines = new Line[nodes];
    }

    /**
     * Opens the link to a node that will soon receive a load. Closes the link to an earlier incarnation in the same
     * place.
     *
     * @param receiver the present node
     */
    public void open(Incarnation receiver) {
        forgetBefore(receiver);
        if (null == lines[receiver.node()]) {
            lines[receiver.node()] = new Line(receiver);
            open++;
        }
    }

    /**
     * Queues a load.
     *
     * @param receiver the present node
     * @param load     load of at least one slice
     */
    public void send(Incarnation receiver, Load load) {
        open(receiver);
        lines[receiver.node()].add(load);
    }

    /**
     * Sends as many frames as the links accept, and closes links that were not used for a while.
     *
     * @param nowNs current time
     * @return the number of frames
     */
    public int work(long nowNs) {
        if (0 == open) {
            return 0;
        }
        int sent = 0;
        for (int node = 0; node < lines.length; node++) {
            if (null != lines[node]) {
                sent += lines[node].work(nowNs);
                if (lines[node].isUnused(nowNs)) {
                    forget(node);
                }
            }
        }
        return sent;
    }

    /**
     * Whether a frame waits to be sent to a node.
     *
     * @param node id of the node
     */
    public boolean isSendingTo(int node) {
        return null != lines[node] && !lines[node].isEmpty();
    }

    /**
     * Closes the link to an earlier incarnation in a place, if one is open.
     *
     * @param now incarnation that has the place now
     */
    public void forgetBefore(Incarnation now) {
        Line line = lines[now.node()];
        if (null != line && !now.equals(line.receiver)) {
            forget(now.node());
        }
    }

    /**
     * Stops sending to a node.
     *
     * @param node id of the node
     */
    public void forget(int node) {
        if (null != lines[node]) {
            lines[node].link.close();
            lines[node] = null;
            open--;
        }
    }

    /** The loads for one receiver. */
    private final class Line {
        private final Incarnation receiver;
        private final Link link;
        private final Pacing pacing;
        private final FrameBuffer frame = FrameBuffer.forDataFrames(sliceElements);
        private final Block block = new Block();
        private final ClockLedger ledger = new ClockLedger(0);
        private final Deque<Load> loads = new ArrayDeque<>();

        /** Length of the frame that is written and not sent; 0 if there is none. */
        private int length;

        private long usedNs = clock.nanoTime();

        Line(Incarnation receiver) {
            this.receiver = receiver;
            this.link = peering.replyLinkTo(receiver.node());
            this.pacing = peering.pace(link, budget);
        }

        void add(Load load) {
            loads.add(load);
            if (1 == loads.size()) {
                ledger.open(load.version);
            }
        }

        boolean isEmpty() {
            return 0 == length && loads.isEmpty();
        }

        boolean isUnused(long nowNs) {
            return isEmpty() && nowNs - usedNs > KEEP_NS;
        }

        int work(long nowNs) {
            int sent = 0;
            while (sent < BURST && (length > 0 || write()) && pacing.offer(frame.buffer(), 0, length)) {
                length = 0;
                sent++;
            }
            usedNs = sent > 0 || !isEmpty() ? nowNs : usedNs;
            return sent;
        }

        /** Writes the next frame, which follows from the number of frames sent; false if all are sent. */
        private boolean write() {
            Load load = loads.peek();
            if (null == load) {
                return false;
            }
            int table = load.spec.id();
            int position = ledger.frames() / load.stores.length;
            if (position < load.slices.length) {
                MemorySegment store = load.stores[ledger.frames() % load.stores.length];
                int elements = load.spec.sliceLength(load.slices[position]);
                int bytes = elements * Float.BYTES;
                frame.room(block).set(BlockFormat.DENSE, ValueType.F32, elements, elements, bytes);
                MemorySegment.copy(store, load.offsets[position], block.segment(), block.offset(), bytes);
                length = writer.to(receiver.node()).data(frame, block, table, load.slices[position], ledger);
                return true;
            }
            length = writer.to(receiver.node()).roundCommit(frame.buffer(), table, ledger);
            loads.remove();
            if (!loads.isEmpty()) {
                ledger.open(loads.peek().version);
            }
            return true;
        }
    }
}
