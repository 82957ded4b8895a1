package io.sluice.consistency.worker;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.NodeContext;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import java.util.List;

/**
 * Keeps what it sends since the last snapshot. If the server comes back, all of it goes out once more by another link,
 * byte for byte, behind the declarations of the tables (decision 29); what waits meanwhile is still for that server.
 *
 * <p>For the sending thread.
 */
final class ReturningSender extends RepeatingSender {
    private final List<TableSpec> specs;
    private final int trees;
    private final FrameWriter writer;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private boolean returning;
    private int declared;

    /** Bytes of the next declaration, which is written once, however often the link refuses it. */
    private int declaration;

    /**
     * Repeats nothing so far.
     *
     * @param parts      what it sends, and where
     * @param membership of this worker
     * @param log        to keep what is sent
     * @param specs      of all tables
     * @param trees      digest of the broadcast trees, to be declared with them
     */
    ReturningSender(Parts parts, Membership membership, FrameLog log, List<TableSpec> specs, int trees) {
        super(parts, membership, log);
        this.specs = specs;
        this.trees = trees;
        this.writer = parts.writer();
    }

    @Override
    void goOver() {
        openAnother();
        begin();
    }

    @Override
    void begin() {
        long clock = membership.attendance().seat(server).clock();
        if (!log.hasAllSince(clock)) {
            throw membership.fail(
                    Failure.PEER_LOST,
                    membership.plan().nameOf(server) + " came back to clock " + clock + ", and the " + log.capacity()
                            + " bytes that are kept for it were too few for what has been pushed since; raise "
                            + NodeContext.RETAIN_PROPERTY + ", or take snapshots more often");
        }
        returning = true;
        declared = 0;
        declaration = 0;
        resender.sendBehind(clock);
    }

    @Override
    boolean isKept() {
        return true;
    }

    @Override
    boolean ask(int table, long round, int sequence) {
        return returning ? null != link() && link().isUdp() : super.ask(table, round, sequence);
    }

    @Override
    int sendDue() {
        int sent = 0;
        while (returning && declared < specs.size() && sent < LIMIT) {
            if (!declare()) {
                return sent;
            }
            sent++;
        }
        if (sent > 0) {
            return sent;
        }
        returning &= resender.isSending();
        return super.sendDue();
    }

    private boolean declare() {
        if (0 == declaration) {
            declaration = writer.to(server).declaration(small.buffer(), specs.get(declared), specs.size(), trees);
        }
        if (!offer(small.buffer(), 0, declaration)) {
            return false;
        }
        declaration = 0;
        declared++;
        return true;
    }
}
