package io.sluice.consistency.server;

import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.codecs.spi.Block;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.messaging.Inbox;
import io.sluice.tree.FanOut;
import io.sluice.tree.OutFrame;
import io.sluice.tree.RouteTable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.agrona.DirectBuffer;

/**
 * A server that broadcasts versions of random bytes as fast as its links accept them, and repeats frames on request.
 */
final class BroadcastingRoot {
    private static final int POLL_LIMIT = 16;

    /** A slice of a table, and the memory of its frame. */
    private record Slice(TableStream tableStream, OutFrame frame, Block block, FrameBuffer buffer, int elements) {}

    private final RelayedBroadcast in;
    private final int versions;
    private final SplittableRandom random;
    private final FanOut[] fanOuts;
    private final FrameLog log;
    private final FrameWriter writer;
    private final List<TableStream> tableStreams = new ArrayList<>();
    private final List<Slice> slices = new ArrayList<>();
    private final BitSet carried = new BitSet();
    private final Resends resends;
    private final Inbox requests;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final ResendDecoder resend = new ResendDecoder();

    /** By stream, the hashes of its broadcast frames. */
    final List<List<Long>> broadcast = new ArrayList<>();

    private int next;
    private int version;

    /**
     * Creates the slices.
     *
     * @param in       broadcast to which this server belongs
     * @param server   number of the server
     * @param versions versions to broadcast
     * @param fanOuts  fan outs by route
     * @param writer   writer of this server
     * @param resends  creates the part that repeats frames of a log
     */
    BroadcastingRoot(
            RelayedBroadcast in,
            int server,
            int versions,
            FanOut[] fanOuts,
            FrameWriter writer,
            Function<FrameLog, Resends> resends) {
        this.in = in;
        this.versions = versions;
        this.random = in.random.split();
        this.fanOuts = fanOuts;
        this.writer = writer;
        RouteTable routes = in.routes;
        int tables = RelayedBroadcast.TABLES;
        this.log = new FrameLog(1 << 24, in.longest, tables, fanOuts.length, -1, table -> -1);
        this.resends = resends.apply(log);
        this.requests = in.ipcInbox(server, this::onRequest);
        TableStream[] made = new TableStream[log.tableStreams()];
        for (int tableStream = 0; tableStream < made.length; tableStream++) {
            broadcast.add(new ArrayList<>());
        }
        for (int route = 0; route < fanOuts.length; route++) {
            int its = route;
            List<Long> sealed = in.sealed(routes.tree(server, route));
            FanOut.FinishedFrames kept = log.of(route);
            fanOuts[route].record((frame, length) -> {
                kept.onFinished(frame, length);
                long hash = LinkTraffic.hash(frame, 0, length);
                sealed.add(hash);
                broadcast
                        .get(log.tableStream(RelayedBroadcast.table(frame, 0), its))
                        .add(hash);
            });
        }
        for (int table = 0; table < tables; table++) {
            for (int slice = 0; slice < RelayedBroadcast.SLICES; slice++) {
                int route = routes.route(routes.tree(server, table, slice));
                int tableStream = log.tableStream(table, route);
                if (null == made[tableStream]) {
                    made[tableStream] = new TableStream(table, route, fanOuts[route], writer, 0);
                    tableStreams.add(made[tableStream]);
                    carried.set(tableStream);
                }
                slices.add(slice(made[tableStream], table, slice));
            }
        }
    }

    private Slice slice(TableStream tableStream, int table, int slice) {
        int elements = random.nextInt(1, in.elements + 1);
        FrameBuffer buffer = FrameBuffer.forDataFrames(elements);
        Block block = new Block();
        OutFrame frame =
                new OutFrame(buffer.buffer(), () -> writer.data(buffer, block, table, slice, tableStream.ledger()));
        return new Slice(tableStream, frame, block, buffer, elements);
    }

    /** Whether a route carries slices of a table. */
    boolean carries(int table, int route) {
        return carried.get(log.tableStream(table, route));
    }

    boolean isDone() {
        return version == versions;
    }

    FanOut fanOut(int route) {
        return fanOuts[route];
    }

    /** Last version that is broadcast; -1 if there is none. */
    long versionBroadcast() {
        return version - 1;
    }

    private Action onRequest(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        resend.wrapAndApplyHeader(buffer, offset, header);
        int worker = Frame.origin(buffer, offset) - in.roots.length;
        int tableStream = log.tableStream(resend.table(), resend.route());
        if (!in.isDead(worker)) { // as servers drop late frames of lost workers
            resends.ask(worker, 1 == resend.relay(), tableStream, resend.clock(), resend.sequence());
        }
        return Action.CONTINUE;
    }

    void forget(int worker) {
        resends.forget(worker);
    }

    void work() {
        requests.poll(POLL_LIMIT);
        for (int i = random.nextInt(3); i > 0 && !isDone(); i--) {
            advance();
        }
        for (FanOut fanOut : fanOuts) {
            fanOut.flush();
        }
        resends.work(System.nanoTime());
    }

    private void advance() {
        if (next < slices.size()) {
            Slice slice = slices.get(next);
            if (slice.tableStream.isFree(slice.frame)) {
                int bytes = slice.elements * Float.BYTES;
                Block block = slice.buffer.room(slice.block);
                block.set(BlockFormat.DENSE, ValueType.F32, slice.elements, slice.elements, bytes);
                byte[] values = new byte[bytes];
                random.nextBytes(values);
                slice.buffer.buffer().putBytes((int) block.offset(), values);
                slice.tableStream.enqueue(slice.frame, 0, bytes);
                next++;
            }
        } else if (tableStreams.stream().allMatch(TableStream::mayClose)) {
            tableStreams.forEach(TableStream::close);
            next = 0;
            version++;
        }
    }
}
