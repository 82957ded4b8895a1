package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.tree.FanOut;
import java.util.function.LongUnaryOperator;
import org.agrona.DirectBuffer;

/**
 * The frames that a worker has pushed to one server and may have to repeat: data frames and round commits, unchanged
 * and in order. Declarations and requests are not kept.
 *
 * <p>If servers may rejoin, the log keeps all pushes since the last snapshot, and its memory grows with them. Otherwise
 * it keeps frames that may be lost in flight. A worker that pushes a round has the version that the round requires, so
 * servers have all pushes of that version and all earlier round commits: under BSP the log keeps two rounds. If
 * versions do not imply this (TAP, backup workers), the latest frames replace the oldest ones.
 *
 * <p>For the sending thread. Allocates only when the log grows beyond the memory that is reserved for two rounds.
 */
final class PushLog {
    /** Upper bound of the bytes in flight and the unsent bytes in the link's log, of any round. */
    private static final int UNDER_WAY = 8 << 20;

    private final FrameLog frames;
    private final FanOut.FinishedFrames finished;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();

    /** The round of the recorded frame. */
    private long round;

    private PushLog(int bound, int longest, int tables, long begun, LongUnaryOperator taken, Runnable pressed) {
        this.frames = new FrameLog(bound, longest, tables, 1, begun, new FrameLog.Releases() {
            @Override
            public long releasableVersion(int table) {
                return taken.applyAsLong(round);
            }

            @Override
            public void onPressed() {
                pressed.run();
            }
        });
        this.finished = frames.of(0);
    }

    /**
     * Keeps all pushes since the last snapshot.
     *
     * @param membership reports snapshots, and is notified when half of the bound is used
     * @param bound      bytes to keep
     * @param longest    length of the longest frame that is pushed, in bytes
     * @param tables     number of tables
     */
    static PushLog sinceSnapshot(Membership membership, int bound, int longest, int tables) {
        long begun = membership.plan().start().clock();
        return new PushLog(
                bound, longest, tables, begun, _ -> membership.snapshots().committed(), membership::press);
    }

    /**
     * The largest size of a round at one server.
     *
     * @param bytes  bytes of its frames
     * @param frames number of its frames, round commits included
     */
    record Round(long bytes, int frames) {}

    /**
     * Keeps frames that may be lost in flight, in memory that is allocated here.
     *
     * @param rule    consistency rule of the pushes
     * @param isPeer  whether the receiver is a worker, whose progress another worker can tell only from its pushes
     * @param bound   bytes to keep
     * @param longest length of the longest frame that is pushed, in bytes
     * @param tables  number of tables
     * @param begun   clock after which pushes start
     * @param ofRound size of a round
     */
    static PushLog untilTaken(
            ConsistencyRule rule, boolean isPeer, int bound, int longest, int tables, long begun, Round ofRound) {
        long bytes = 2 * ofRound.bytes();
        boolean tells = rule.isBounded();
        int most = tells ? bound : (int) Math.min(bound, 2 * Math.max(UNDER_WAY, bytes));
        LongUnaryOperator taken = round -> {
            long version = tells && round > 0 ? rule.requiredVersion(round - 1) : 0;
            boolean isKnown = version > 0;
            return !isKnown ? FrameLog.GONE : isPeer ? rule.requiredVersion(version - 1) : version - 1;
        };
        PushLog log = new PushLog(most, longest, tables, begun, taken, () -> {});
        log.frames.reserve(tells ? bytes : most, 2 * ofRound.frames());
        return log;
    }

    /** Records a sent frame. */
    void record(DirectBuffer frame, int length) {
        int templateId = Frame.templateId(frame, 0);
        if (DataDecoder.TEMPLATE_ID == templateId) {
            data.wrapAndApplyHeader(frame, 0, header);
            round = data.clock();
            finished.onFinished(frame, length);
        } else if (RoundCommitDecoder.TEMPLATE_ID == templateId) {
            commit.wrapAndApplyHeader(frame, 0, header);
            round = commit.clock();
            finished.onFinished(frame, length);
        }
    }

    FrameLog frames() {
        return frames;
    }
}
