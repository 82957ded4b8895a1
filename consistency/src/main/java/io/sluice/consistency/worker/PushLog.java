package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.consistency.clock.ConsistencyRule;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.wire.FrameLog;
import io.sluice.tree.FanOut;
import java.util.function.LongUnaryOperator;
import org.agrona.DirectBuffer;

/**
 * What a worker has pushed to one server and may have to push again: data and marks, byte for byte, in their order.
 * Declarations and requests are not kept.
 *
 * <p>Where servers may come back, what was pushed since the last snapshot is kept, and memory grows as it comes. Else
 * the worker keeps what may be lost on its way. A worker that pushes a round has the version that this needs, so
 * servers have every push of that version, and all marks before it: under BSP two rounds are kept. Where versions do
 * not tell (TAP, backup workers) the oldest frames make room for the latest.
 *
 * <p>For the sending thread. Allocates nothing but when the log grows, which what is reserved for two rounds avoids.
 */
final class PushLog {
    /** What a link has under way, and its log not sent yet, whatever rounds that is of. */
    private static final int UNDER_WAY = 8 << 20;

    private final FrameLog frames;
    private final FanOut.FinishedFrames finished;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();

    /** Of the frame that is recorded. */
    private long round;

    private PushLog(int bound, int longest, int tables, long begun, LongUnaryOperator taken, Runnable pressed) {
        this.frames = new FrameLog(bound, longest, tables, 1, begun, new FrameLog.Releases() {
            @Override
            public long versionAtAll(int table) {
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
     * Keeps what was pushed since the last snapshot.
     *
     * @param membership knows of snapshots, and is told when half of the bound is used
     * @param bound      most bytes to keep
     * @param longest    frame that is pushed, in bytes
     * @param tables     that there are
     */
    static PushLog sinceSnapshot(Membership membership, int bound, int longest, int tables) {
        long begun = membership.plan().start().clock();
        return new PushLog(
                bound, longest, tables, begun, _ -> membership.snapshots().committed(), membership::press);
    }

    /**
     * What a round comes to at most, at one server.
     *
     * @param bytes  of its frames
     * @param frames number of them, marks among them
     */
    record Round(long bytes, int frames) {}

    /**
     * Keeps what may be lost on its way. Memory for that is allocated here.
     *
     * @param rule    by which workers push
     * @param bound   most bytes to keep
     * @param longest frame that is pushed, in bytes
     * @param tables  that there are
     * @param begun   clock behind which pushes begin
     * @param ofRound what a round comes to
     */
    static PushLog untilTaken(ConsistencyRule rule, int bound, int longest, int tables, long begun, Round ofRound) {
        long bytes = 2 * ofRound.bytes();
        boolean tells = rule.isBounded();
        int most = tells ? bound : (int) Math.min(bound, 2 * Math.max(UNDER_WAY, bytes));
        LongUnaryOperator taken = round -> tells && round > 0 ? rule.requiredVersion(round - 1) - 1 : FrameLog.GONE;
        PushLog log = new PushLog(most, longest, tables, begun, taken, () -> {});
        log.frames.reserve(tells ? bytes : most, 2 * ofRound.frames());
        return log;
    }

    /** A frame has gone out. */
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
