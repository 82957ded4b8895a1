package io.sluice.codecs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.codecs.sbe.DeclarationEncoder;
import io.sluice.codecs.sbe.EnvelopeEncoder;
import io.sluice.codecs.sbe.ErrorEncoder;
import io.sluice.codecs.sbe.HeartbeatEncoder;
import io.sluice.codecs.sbe.JoinEncoder;
import io.sluice.codecs.sbe.LeaveEncoder;
import io.sluice.codecs.sbe.MarkEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.PullEncoder;
import io.sluice.codecs.sbe.WelcomeEncoder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.agrona.concurrent.UnsafeBuffer;

/** One small valid frame of every template and of every block format: those of docs/protocol.md. */
enum SampleFrame {
    DATA_DENSE,
    DATA_BITMAP,
    DATA_INDEX,
    DATA_EMPTY,
    MARK,
    DECLARATION,
    PULL,
    JOIN,
    WELCOME,
    HEARTBEAT,
    LEAVE,
    ERROR;

    static final long CLUSTER = 0x1122334455667788L;
    static final long NONCE = 0x0102030405060708L;

    private static final float[] VALUES = {1.0f, -2.0f, 0.5f};
    private static final int[] PLACES = {1, 63, 69};

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();

    /** Encodes and seals the frame at the start of the buffer and returns its length. */
    int encode(FrameBuffer frame) {
        UnsafeBuffer buffer = frame.buffer();
        int length = switch (this) {
            case DATA_DENSE -> data(frame, BlockFormat.DENSE, 3, 3);
            case DATA_BITMAP -> data(frame, BlockFormat.BITMAP, 70, 3);
            case DATA_INDEX -> data(frame, BlockFormat.INDEX, 70, 3);
            case DATA_EMPTY -> data(frame, BlockFormat.INDEX, 70, 0);
            case MARK -> mark(buffer);
            case DECLARATION -> declaration(buffer);
            case PULL -> pull(buffer);
            case JOIN -> join(buffer);
            case WELCOME -> welcome(buffer);
            case HEARTBEAT -> heartbeat(buffer);
            case LEAVE -> leave(buffer);
            case ERROR -> error(buffer);
        };
        new FrameChecksum().seal(buffer, 0, length);
        return length;
    }

    static DataHeader dataHeader() {
        return new DataHeader()
                .clusterId(CLUSTER)
                .epoch(3)
                .origin(2)
                .table(7)
                .slice(9)
                .clock(11)
                .sequence(13);
    }

    private static int data(FrameBuffer frame, BlockFormat format, int elements, int count) {
        Block block = new Block().wrap(frame).set(format, elements, count);
        MemorySegment segment = frame.segment();
        long at = Frame.DATA_LENGTH;
        segment.asSlice(at, block.length()).fill((byte) 0);
        for (int k = 0; k < count && format == BlockFormat.BITMAP; k++) {
            long word = at + PLACES[k] / 64 * 8L;
            long bits = segment.get(ValueLayout.JAVA_LONG_UNALIGNED, word) | 1L << PLACES[k];
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, word, bits);
        }
        for (int k = 0; k < count && format == BlockFormat.INDEX; k++) {
            segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, at + 2L * k, (short) PLACES[k]);
        }
        long values = at + format.valuesOffset(elements, count);
        for (int k = 0; k < count; k++) {
            segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED, values + 4L * k, VALUES[k]);
        }
        BlockCompressor none = BlockCompressors.named("none");
        return new DataFrameEncoder(elements).encode(frame, dataHeader(), block, none, new FrameChecksum());
    }

    private static void fill(EnvelopeEncoder envelope) {
        envelope.clusterId(CLUSTER).epoch(3).origin(2);
    }

    private int mark(UnsafeBuffer buffer) {
        MarkEncoder mark = new MarkEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(mark.envelope());
        mark.table(7).frames(4).clock(11).digest(0x0BADCAFE);
        return mark.limit();
    }

    private int declaration(UnsafeBuffer buffer) {
        DeclarationEncoder declaration = new DeclarationEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(declaration.envelope());
        declaration.table(7).rows(784).columns(10).sliceElements(4096).tables(2).name("weights");
        return declaration.limit();
    }

    private int pull(UnsafeBuffer buffer) {
        PullEncoder pull = new PullEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(pull.envelope());
        pull.table(7).clock(11);
        return pull.limit();
    }

    private int join(UnsafeBuffer buffer) {
        JoinEncoder join = new JoinEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(join.envelope());
        join.role((short) 1).index(-1).nonce(NONCE).endpoint("10.0.0.2:40100").host("host-b");
        return join.limit();
    }

    private int welcome(UnsafeBuffer buffer) {
        WelcomeEncoder welcome = new WelcomeEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(welcome.envelope());
        welcome.node(2).nonce(NONCE).servers(1).workers(2);
        welcome.protocol((short) 1)
                .filter((short) 1)
                .compressor((short) 2)
                .transport((short) 1)
                .placement((short) 0);
        welcome.delta(0.01).sliceElements(16384).heartbeatMs(500).livenessMs(2000);
        WelcomeEncoder.NodesEncoder nodes = welcome.nodesCount(2);
        nodes.next().id(0).endpoint("a:1").host("h");
        nodes.next().id(2).endpoint("b:2").host("");
        welcome.consistency("ssp:3");
        return welcome.limit();
    }

    private int heartbeat(UnsafeBuffer buffer) {
        HeartbeatEncoder heartbeat = new HeartbeatEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(heartbeat.envelope());
        heartbeat.clock(11);
        return heartbeat.limit();
    }

    private int leave(UnsafeBuffer buffer) {
        LeaveEncoder leave = new LeaveEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(leave.envelope());
        leave.node(2).clock(11);
        return leave.limit();
    }

    private int error(UnsafeBuffer buffer) {
        ErrorEncoder error = new ErrorEncoder().wrapAndApplyHeader(buffer, 0, header);
        fill(error.envelope());
        byte[] message = "r\u00f4le taken".getBytes(UTF_8);
        error.code(6).nonce(NONCE).subject(2).putMessage(message, 0, message.length);
        return error.limit();
    }
}
