package io.sluice.consistency.worker;

import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.consistency.membership.Role;
import io.sluice.consistency.membership.WorkerSetHistory;
import io.sluice.messaging.FrameHandler;
import io.sluice.messaging.FrameHandler.Action;
import io.sluice.tree.RouteTable;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.agrona.DirectBuffer;

/**
 * Checks of broadcasts before the intake. The assembly of a worker puts the gates that its terms need in front of its
 * intake.
 */
final class IntakeGates {
    private IntakeGates() {}

    /**
     * Drops frames of a server's earlier incarnations. Frames of an incarnation that the view does not have yet are
     * deferred.
     */
    record Incarnations(TrainerView view, int servers, Consumer<Rejection> reject, FrameHandler next)
            implements FrameHandler {
        @Override
        public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
            int server = Frame.origin(buffer, offset);
            if (server >= servers) {
                reject.accept(Rejection.UNKNOWN_ORIGIN);
                return Action.CONTINUE;
            }
            int incarnation = view.incarnation(server);
            int epoch = Frame.epoch(buffer, offset);
            if (epoch < incarnation) {
                reject.accept(Rejection.STALE_EPOCH);
                return Action.CONTINUE;
            }
            return epoch > incarnation ? Action.ABORT : next.onFrame(buffer, offset, length, templateId, session);
        }
    }

    /**
     * In jobs in which workers join and leave, accepts only versions in which this worker takes part. A newcomer
     * receives the parameters of earlier versions by state transfer. A leaving worker receives frames until it has
     * left, and would be between versions if it applied some of them. This gate precedes {@link Incarnations}: no node
     * waits for a newcomer, so it may read a shared log after another server has taken the sender's place.
     */
    static final class OwnVersions implements FrameHandler {
        private final TrainerView view;
        private final int servers;
        private final int worker;
        private final List<Table> tables;
        private final RouteTable routes;
        private final IntConsumer ahead;
        private final FrameHandler next;
        private final MessageHeaderDecoder header = new MessageHeaderDecoder();
        private final DataDecoder data = new DataDecoder();
        private final RoundCommitDecoder commit = new RoundCommitDecoder();
        private long handedOver;
        private WorkerSetHistory followed;
        private long goneSince;

        /** Accepts versions after {@code handedOver}; reports each tree with an early frame to {@code ahead}. */
        OwnVersions(
                TrainerView view,
                int servers,
                int worker,
                List<Table> tables,
                RouteTable routes,
                long handedOver,
                IntConsumer ahead,
                FrameHandler next) {
            this.view = view;
            this.servers = servers;
            this.worker = worker;
            this.tables = tables;
            this.routes = routes;
            this.handedOver = handedOver;
            this.ahead = ahead;
            this.next = next;
        }

        /** Accepts frames of later versions than this. */
        void beginBehind(long version) {
            handedOver = version;
        }

        @Override
        public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
            int server = Frame.origin(buffer, offset);
            if (server >= servers) { // not from a server: the next handler rejects the frame
                return next.onFrame(buffer, offset, length, templateId, session);
            }
            if (DataDecoder.TEMPLATE_ID == templateId) {
                data.wrapAndApplyHeader(buffer, offset, header);
                if (!isOwn(data.clock())) {
                    Table table = table(server, data.table());
                    boolean isValid = null != table && table.isOwner(server, data.slice());
                    look(
                            data.clock(),
                            table,
                            isValid ? routes.tree(server, data.table(), data.slice()) : RouteTable.NONE);
                    return Action.CONTINUE;
                }
            } else if (RoundCommitDecoder.TEMPLATE_ID == templateId) {
                commit.wrapAndApplyHeader(buffer, offset, header);
                if (!isOwn(commit.clock())) {
                    Table table = table(server, commit.table());
                    look(commit.clock(), table, null == table ? RouteTable.NONE : routes.tree(server, commit.route()));
                    return Action.CONTINUE;
                }
            }
            return next.onFrame(buffer, offset, length, templateId, session);
        }

        private boolean isOwn(long version) {
            if (view.workerSets() != followed) {
                followed = view.workerSets();
                long since = followed.goneSince(Role.WORKER, worker);
                goneSince = since > 0 ? since : Long.MAX_VALUE;
            }
            return version > handedOver && version < goneSince;
        }

        private Table table(int server, int id) {
            return id < tables.size() && tables.get(id).intake().owns(server) ? tables.get(id) : null;
        }

        /** A frame after this worker's last version shows which frames of that version are missing. */
        private void look(long version, Table table, int tree) {
            if (version > handedOver
                    && RouteTable.NONE != tree
                    && table.intake().expects(tree)
                    && table.intake().ledger(tree).round() < goneSince) {
                ahead.accept(tree);
            }
        }
    }
}
