package io.sluice.consistency.server;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.DeclarationDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.PullDecoder;
import io.sluice.codecs.sbe.ResendDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.wire.FrameWriter;
import io.sluice.messaging.FrameHandler;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * The first stage of a server: accepts frames of current incarnations and decodes them by template. It rejects and
 * counts a frame that no correct node sends. A frame by which its sender breaks the protocol ends the cluster, because
 * the sums could no longer be trusted.
 */
final class PushIntake implements FrameHandler {
    private final ClusterPlan plan;
    private final ServerView view;
    private final Declarations declarations;
    private final Shard shard;
    private final Pushes pushes;
    private final FrameHandler ofServers;
    private final Consumer<Rejection> reject;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final PullDecoder pull = new PullDecoder();
    private final ResendDecoder resend = new ResendDecoder();

    /**
     * Creates the intake.
     *
     * @param plan         the cluster
     * @param view         view of this server
     * @param declarations declarations of workers
     * @param shard        shard, which is built once the tables are known
     * @param pushes       processes data frames and round commits
     * @param ofServers    processes frames of other servers
     * @param reject       counts frames that the intake drops
     */
    PushIntake(
            ClusterPlan plan,
            ServerView view,
            Declarations declarations,
            Shard shard,
            Pushes pushes,
            FrameHandler ofServers,
            Consumer<Rejection> reject) {
        this.plan = plan;
        this.view = view;
        this.declarations = declarations;
        this.shard = shard;
        this.pushes = pushes;
        this.ofServers = ofServers;
        this.reject = reject;
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int node = Frame.origin(buffer, offset);
        int epoch = Frame.epoch(buffer, offset);
        if (node >= view.nodes()) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        if (!view.takes(node, epoch)) {
            shard.follow();
            if (!view.takes(node, epoch)) {
                return view.isToCome(node, epoch) ? Action.ABORT : drop(Rejection.STALE_EPOCH);
            }
        }
        int worker = plan.workerIndex(node);
        if (worker < 0) {
            return ofServers.onFrame(buffer, offset, length, templateId, session);
        }
        return switch (templateId) {
            case DataDecoder.TEMPLATE_ID -> pushes.onData(worker, buffer, offset, length, session);
            case RoundCommitDecoder.TEMPLATE_ID -> pushes.onRoundCommit(worker, buffer, offset, session);
            case PullDecoder.TEMPLATE_ID -> onPull(worker, buffer, offset);
            case ResendDecoder.TEMPLATE_ID -> onResend(worker, buffer, offset, session);
            case DeclarationDecoder.TEMPLATE_ID -> onDeclaration(worker, buffer, offset, session, epoch);
            default -> drop(Rejection.UNEXPECTED);
        };
    }

    private Action onPull(int worker, DirectBuffer buffer, int offset) {
        pull.wrapAndApplyHeader(buffer, offset, header);
        TableShard table = tableOf(worker, pull.table());
        if (null == table || pull.clock() < 0) {
            return drop(Rejection.UNEXPECTED);
        }
        return switch (shard.pulls().pull(worker, table, pull.clock())) {
            case TAKE -> Action.CONTINUE;
            case LATER -> Action.ABORT;
            case DROP -> drop(Rejection.UNEXPECTED);
        };
    }

    private Action onResend(int worker, DirectBuffer buffer, int offset, int session) {
        resend.wrapAndApplyHeader(buffer, offset, header);
        TableShard table = tableOf(worker, resend.table());
        boolean valid = null != table && resend.clock() >= 0 && resend.sequence() >= 0;
        if (FrameWriter.PUSHES == resend.relay() && valid && shard.missing().hasAsked(worker)) {
            declarations.continueOn(worker, session);
            return Action.CONTINUE;
        }
        valid = valid && resend.relay() <= FrameWriter.TO_RELAY;
        boolean relay = FrameWriter.TO_RELAY == resend.relay();
        if (!valid || !shard.resend(worker, relay, resend.table(), resend.route(), resend.clock(), resend.sequence())) {
            return drop(Rejection.UNEXPECTED);
        }
        return Action.CONTINUE;
    }

    private Action onDeclaration(int worker, DirectBuffer buffer, int offset, int session, int epoch) {
        return switch (declarations.take(worker, buffer, offset, session, epoch)) {
            case TAKEN -> Action.CONTINUE;
            case AGAIN -> drop(Rejection.DUPLICATE);
            case LATER -> Action.ABORT;
            case REFUSED -> drop(Rejection.UNEXPECTED);
        };
    }

    private TableShard tableOf(int worker, int table) {
        return declarations.isComplete(worker) ? shard.table(table) : null;
    }

    private Action drop(Rejection rejection) {
        reject.accept(rejection);
        return Action.CONTINUE;
    }
}
