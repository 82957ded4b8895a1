package io.sluice.consistency.worker;

import io.sluice.codecs.FrameBuffer;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.NodeContext;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.outbox.Pacing;
import java.util.List;

/**
 * What a worker has pushed to one server since the last snapshot: should the server come back, it is pushed once more,
 * byte for byte, behind the declarations of the tables (decision 29).
 *
 * <p>For the sending thread. Allocates nothing but when the log grows.
 */
final class RetainedPushes {
    private final Membership membership;
    private final int server;
    private final FrameLog log;
    private final List<TableSpec> specs;
    private final int trees;
    private final FrameWriter writer;
    private final FrameBuffer small = new FrameBuffer(FrameWriter.MAX_SMALL_FRAME);
    private long from;
    private int declared;
    private int declaration;
    private long next;
    private boolean repeating;

    /**
     * Repeats nothing so far.
     *
     * @param membership of this worker
     * @param server     that is pushed to
     * @param specs      of all tables
     * @param trees      digest of the broadcast trees, to be declared with them
     * @param writer     of the sending thread
     * @param log        what was pushed since the last snapshot
     */
    RetainedPushes(
            Membership membership, int server, List<TableSpec> specs, int trees, FrameWriter writer, FrameLog log) {
        this.membership = membership;
        this.server = server;
        this.specs = specs;
        this.trees = trees;
        this.writer = writer;
        this.log = log;
    }

    /** The server has come back, and has a link of its own: all behind a clock goes there again. */
    void repeat(long behind) {
        if (!log.hasAllSince(behind)) {
            throw membership.fail(
                    Failure.PEER_LOST,
                    membership.plan().nameOf(server) + " came back to clock " + behind + ", and the "
                            + log.capacity()
                            + " bytes that are kept for it were too few for what has been pushed since; raise "
                            + NodeContext.RETAIN_PROPERTY + ", or take snapshots more often");
        }
        from = behind;
        declared = 0;
        declaration = 0;
        next = log.first();
        repeating = true;
    }

    /** Whether what was pushed before has yet to go out again, before anything new. */
    boolean isRepeating() {
        return repeating;
    }

    /** Sends what there is room for, up to a limit; returns the number of frames. */
    int work(Pacing pacing, int limit) {
        int sent = 0;
        while (sent < limit && declared < specs.size()) {
            if (!declare(pacing)) {
                return sent;
            }
            sent++;
        }
        while (sent < limit && next < log.end()) {
            if (log.clock(next) > from) {
                if (!pacing.offer(log.buffer(), log.offset(next), log.length(next))) {
                    return sent;
                }
                sent++;
            }
            next++;
        }
        repeating = declared < specs.size() || next < log.end();
        return sent;
    }

    /** Written once, however often the link refuses it. */
    private boolean declare(Pacing pacing) {
        if (0 == declaration) {
            declaration = writer.to(server).declaration(small.buffer(), specs.get(declared), specs.size(), trees);
        }
        if (!pacing.offer(small.buffer(), 0, declaration)) {
            return false;
        }
        declaration = 0;
        declared++;
        return true;
    }
}
