package io.sluice.consistency.wire;

import io.sluice.codecs.DataFrameEncoder;
import io.sluice.codecs.DataHeader;
import io.sluice.codecs.Frame;
import io.sluice.codecs.FrameBuffer;
import io.sluice.codecs.PayloadCompressor;
import io.sluice.codecs.SealTrailer;
import io.sluice.codecs.api.CompressionReport;
import io.sluice.codecs.sbe.DeclarationEncoder;
import io.sluice.codecs.sbe.EnvelopeEncoder;
import io.sluice.codecs.sbe.ErrorEncoder;
import io.sluice.codecs.sbe.MessageHeaderEncoder;
import io.sluice.codecs.sbe.PullEncoder;
import io.sluice.codecs.sbe.ResendEncoder;
import io.sluice.codecs.sbe.RoundCommitEncoder;
import io.sluice.codecs.seal.FrameSeal;
import io.sluice.codecs.spi.Block;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.messaging.counters.CounterGroup;
import org.agrona.MutableDirectBuffer;

/**
 * Writes the frames of one node (data, round commits, declarations, pulls), each finished and ready to be sent, at
 * index 0 of the given buffer. Every method returns the frame's length in bytes.
 *
 * <p>For one thread. Writing data, round commits and pulls allocates nothing.
 */
public final class FrameWriter {
    /** Maximum length of a frame other than a data frame, in bytes. */
    public static final int MAX_SMALL_FRAME = 64 + TableSpec.MAX_NAME_BYTES + SealTrailer.LENGTH;

    /** Resend kind for broadcasts to a worker's trainer. */
    public static final short TO_TRAINER = 0;

    /** Resend kind for broadcasts to a worker's relay. */
    public static final short TO_RELAY = 1;

    /** Resend kind for pushes to a server. */
    public static final short PUSHES = 2;

    /** Length of a round commit that is not sealed, in bytes. */
    public static final int ROUND_COMMIT_LENGTH = Frame.HEADER_LENGTH + RoundCommitEncoder.BLOCK_LENGTH;

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final RoundCommitEncoder commit = new RoundCommitEncoder();
    private final PullEncoder pull = new PullEncoder();
    private final ResendEncoder resend = new ResendEncoder();
    private final DataHeader dataHeader = new DataHeader();
    private final DataFrameEncoder dataEncoder;
    private final PayloadCompressor compressor;
    private final FrameSeal seal;
    private final long clusterId;
    private final int epoch;
    private final int origin;
    private final String name;
    private final int firstWorker;
    private final CompressionSavings saved;

    /**
     * Creates a writer.
     *
     * @param plan the cluster
     * @param node the node that writes
     * @param counters counters of the node, to which savings by compression are added; null to count nothing
     * @param seal seal that finishes its frames
     */
    public FrameWriter(ClusterPlan plan, int node, CounterGroup counters, FrameSeal seal) {
        this.seal = seal;
        this.saved = null == counters ? null : new CompressionSavings(counters);
        this.clusterId = plan.clusterId();
        this.epoch = plan.epoch();
        this.origin = node;
        this.name = plan.nameOf(node);
        this.firstWorker = plan.workerNode(0);
        this.compressor = Policies.newCompressor(plan.settings());
        this.dataEncoder = new DataFrameEncoder(plan.settings().sliceElements());
        dataHeader.clusterId(clusterId).epoch(epoch).origin(origin);
    }

    /**
     * Sets the receiver of the frames that are written from now on; at first all nodes may read them. Only seals depend
     * on it: a sealed frame is refused by all other nodes.
     *
     * @param receiver node id
     * @return this
     */
    public FrameWriter to(int receiver) {
        seal.to(receiver);
        return this;
    }

    /**
     * Like {@link #to}, by the index of a worker.
     *
     * @param worker index among the workers
     * @return this
     */
    public FrameWriter toWorker(int worker) {
        return to(firstWorker + worker);
    }

    /**
     * Writes the data frame of one slice and enters it in the ledger of its table.
     *
     * @param frame  holds the block, after the root
     * @param block  the block
     * @param table  id of the table
     * @param slice  number of the slice
     * @param ledger gives round and sequence
     * @return length in bytes
     */
    public int data(FrameBuffer frame, Block block, int table, int slice, ClockLedger ledger) {
        return data(frame, block, table, slice, false, Frame.NO_TAG, ledger);
    }

    /**
     * Writes the data frame of one slice, or of a part of its update in the open round, and enters it in the ledger.
     *
     * @param frame   holds the block, after the root
     * @param block   the block
     * @param table   id of the table
     * @param slice   number of the slice
     * @param partial whether another part of the slice follows in the round
     * @param tag     number that the update rule of the table needs, or {@link Frame#NO_TAG}
     * @param ledger  gives round and sequence
     * @return length in bytes
     */
    public int data(
            FrameBuffer frame, Block block, int table, int slice, boolean partial, long tag, ClockLedger ledger) {
        dataHeader
                .table(table)
                .slice(slice)
                .clock(ledger.round())
                .sequence(ledger.frames())
                .partial(partial)
                .tag(tag);
        int open = dataEncoder.compose(frame, dataHeader, block, compressor);
        int length = seal.finish(frame.buffer(), 0, open);
        ledger.enter(Frame.checksum(frame.buffer(), 0));
        int tagLength = Frame.NO_TAG == tag ? 0 : Frame.TAG_LENGTH;
        int shorter = block.length() - (open - tagLength - Frame.DATA_LENGTH);
        if (shorter > 0 && null != saved) {
            saved.add(block.format(), block.values(), shorter);
        }
        return length;
    }

    /**
     * Writes the round commit that closes the open round of a ledger on the only route. The ledger does not change.
     *
     * @param buffer buffer to write to
     * @param table  id of the table
     * @param ledger gives round, frames and running checksum
     * @return length in bytes
     */
    public int roundCommit(MutableDirectBuffer buffer, int table, ClockLedger ledger) {
        return roundCommit(buffer, table, 0, ledger);
    }

    /**
     * Writes the round commit that closes the open round of a ledger. The ledger does not change.
     *
     * @param buffer buffer to write to
     * @param table  id of the table
     * @param route  route of this node's broadcast to which the ledger belongs
     * @param ledger gives round, frames and running checksum
     * @return length in bytes
     */
    public int roundCommit(MutableDirectBuffer buffer, int table, int route, ClockLedger ledger) {
        commit.wrapAndApplyHeader(buffer, 0, header);
        envelope(commit.envelope());
        commit.table(table)
                .frames(ledger.frames())
                .clock(ledger.round())
                .digest(ledger.value())
                .route(route);
        return finish(buffer, commit.encodedLength());
    }

    /**
     * Writes a request for a table's parameters.
     *
     * @param buffer  buffer to write to
     * @param table   id of the table
     * @param version lowest sufficient version
     * @return length in bytes
     */
    public int pull(MutableDirectBuffer buffer, int table, long version) {
        pull.wrapAndApplyHeader(buffer, 0, header);
        envelope(pull.envelope());
        pull.table(table).clock(version);
        return finish(buffer, pull.encodedLength());
    }

    /**
     * Writes a Resend, which names the first frame of a table that is requested, repeated or expected.
     *
     * @param buffer    buffer to write to
     * @param table     id of the table
     * @param route     route of the server's broadcast on which the first frame is sent; 0 for pushes
     * @param clock     clock of the first frame
     * @param sequence  sequence of the first frame; that of a round commit follows the last frame of its clock
     * @param concerned {@link #TO_TRAINER}, {@link #TO_RELAY} or {@link #PUSHES}
     * @return length in bytes
     */
    public int resend(MutableDirectBuffer buffer, int table, int route, long clock, int sequence, short concerned) {
        resend.wrapAndApplyHeader(buffer, 0, header);
        envelope(resend.envelope());
        resend.table(table).clock(clock).sequence(sequence).relay(concerned).route(route);
        return finish(buffer, resend.encodedLength());
    }

    /**
     * Writes the error for which the receiver cannot continue.
     *
     * @param buffer  buffer to write to
     * @param failure kind of the failure
     * @param message rest of a sentence of which the receiver is the subject
     * @return length in bytes
     */
    public int error(MutableDirectBuffer buffer, Failure failure, String message) {
        ErrorEncoder error = new ErrorEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(error.envelope());
        error.code(failure.ordinal()).nonce(0).subject(origin).message(message);
        return finish(buffer, error.encodedLength());
    }

    /**
     * Writes the declaration of a table.
     *
     * @param buffer buffer to write to
     * @param spec   the table
     * @param tables number of tables
     * @param trees  digest of the broadcast trees that this node plans; 0 if it plans none
     * @param digest digest of the factor table whose first vectors the table carries; 0 for any other
     * @return length in bytes
     */
    public int declaration(MutableDirectBuffer buffer, TableSpec spec, int tables, int trees, int digest) {
        DeclarationEncoder declaration = new DeclarationEncoder().wrapAndApplyHeader(buffer, 0, header);
        envelope(declaration.envelope());
        declaration
                .table(spec.id())
                .rows(spec.rows())
                .columns(spec.columns())
                .sliceElements(spec.sliceElements())
                .tables(tables)
                .trees(trees)
                .consumed((short) (spec.consumed() ? 1 : 0))
                .digest(digest)
                .name(spec.name());
        return finish(buffer, declaration.encodedLength());
    }

    /** The name of the node that writes, for messages. */
    public String name() {
        return name;
    }

    /**
     * The compression statistics of the data frames written so far.
     *
     * @return a copy of the counters
     */
    public CompressionReport compression() {
        return compressor.report();
    }

    private void envelope(EnvelopeEncoder envelope) {
        envelope.clusterId(clusterId).epoch(epoch).origin(origin);
    }

    private int finish(MutableDirectBuffer buffer, int bodyLength) {
        return seal.finish(buffer, 0, Frame.HEADER_LENGTH + bodyLength);
    }
}
