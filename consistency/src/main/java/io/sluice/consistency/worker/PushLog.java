package io.sluice.consistency.worker;

import io.sluice.consistency.clock.ConsistencyRule;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.wire.FrameLog;

/**
 * Makes logs of what a worker has pushed to one server and may have to push again: data and marks, byte for byte, in
 * their order.
 *
 * <p>Where servers may come back, what was pushed since the last snapshot is kept, and memory grows as it comes. Else
 * the worker keeps what may be lost on its way. A worker that pushes a round has the version that the rule needs for
 * that, so servers have every push of that version, and all marks before it: under BSP two rounds are kept. Where
 * versions do not tell (TAP, backup workers) the oldest frames make room for the latest.
 */
final class PushLog {
    /** What a link has under way, and its log not sent yet, whatever rounds that is of. */
    private static final int UNDER_WAY = 8 << 20;

    private PushLog() {}

    /**
     * Keeps what was pushed since the last snapshot.
     *
     * @param membership knows of snapshots, and is told when half of the bound is used
     * @param bound      most bytes to keep
     * @param longest    frame that is pushed, in bytes
     * @param tables     that there are
     */
    static FrameLog sinceSnapshot(Membership membership, int bound, int longest, int tables) {
        return new FrameLog(bound, longest, tables, 1, membership.plan().start().clock(), new FrameLog.Releases() {
            @Override
            public long versionAtAll(int table, long round) {
                return membership.snapshots().committed();
            }

            @Override
            public void onPressed() {
                membership.press();
            }
        });
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
    static FrameLog untilTaken(ConsistencyRule rule, int bound, int longest, int tables, long begun, Round ofRound) {
        long bytes = 2 * ofRound.bytes();
        boolean tells = rule.isBounded();
        int most = tells ? bound : (int) Math.min(bound, 2 * Math.max(UNDER_WAY, bytes));
        FrameLog log = new FrameLog(
                most,
                longest,
                tables,
                1,
                begun,
                (table, round) -> tells && round > 0 ? rule.requiredVersion(round - 1) - 1 : FrameLog.GONE);
        log.reserve(tells ? bytes : most, 2 * ofRound.frames());
        return log;
    }
}
