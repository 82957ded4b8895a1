package io.sluice.consistency.worker;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.DecodedBytes;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.ErrorDecoder;
import io.sluice.codecs.sbe.MarkDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.ClusterPlan;
import io.sluice.consistency.membership.CrewHistory;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.membership.PeerLives;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.Protocol;
import io.sluice.consistency.terms.Role;
import io.sluice.consistency.wire.Gaps;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.NotFiniteException;
import io.sluice.messaging.FrameHandler;
import io.sluice.tree.Ways;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.agrona.DirectBuffer;

/**
 * Applies what servers send: checks that each frame comes from the server that owns the slice, in its turn, and adds
 * its block to the replica straight from where it lies: in the log, if it came in one piece and open, else where the
 * inbox has joined or the seal's opener has decrypted it. Under push-pull it replaces instead of adding.
 */
final class BroadcastIntake implements FrameHandler {
    private final ClusterPlan plan;
    private final Membership membership;
    private final DataFrameDecoder decoder;
    private final BlockAccumulator accumulator;
    private final List<Table> tables;
    private final Consumer<Rejection> reject;

    /** Told of the bytes of each payload that was decoded. */
    private final LongConsumer decoded;

    private final boolean pulled;
    private final boolean managed;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final MarkDecoder mark = new MarkDecoder();

    private Ways ways;

    /** Null where a frame that is missing cannot be had again. */
    private Gaps missing;

    private final PeerLives lives;
    private final boolean returned;
    private final boolean grows;

    /** Versions up to here are of no use: what they have led to is handed over. */
    private long handedOver = -1;

    /** Versions from here on are not for this worker any more, as that history says. */
    private long goneSince = Long.MAX_VALUE;

    private CrewHistory followed;

    BroadcastIntake(
            Membership membership,
            DataFrameDecoder decoder,
            BlockAccumulator accumulator,
            List<Table> tables,
            Consumer<Rejection> reject,
            LongConsumer decoded) {
        this.plan = membership.plan();
        this.membership = membership;
        this.decoder = decoder;
        this.accumulator = accumulator;
        this.tables = tables;
        this.reject = reject;
        this.decoded = decoded;
        this.managed = plan.settings().isManaged();
        this.lives = new PeerLives(membership);
        this.grows = membership.attendance().grows();
        this.returned = plan.epoch() > 0 && membership.attendance().changes();
        if (plan.isOfNewcomer()) {
            handedOver = Long.MAX_VALUE;
        }
        this.pulled = Protocol.PUSH_PULL == plan.settings().protocol();
    }

    /** Says by which trees frames come, before any does. */
    void expect(Ways newWays) {
        ways = newWays;
    }

    /** Takes what comes of later versions than this. */
    void beginBehind(long version) {
        handedOver = version;
    }

    /** Has what is missing asked for from now on, instead of giving up. */
    void askFor(Gaps newMissing) {
        missing = newMissing;
    }

    /** Whether servers may have come back that have not been followed yet. */
    boolean isBehind() {
        return lives.isBehind();
    }

    /**
     * Expects of servers that have come back all frames from the clock on at which they go on.
     *
     * @param back is given the id of each
     */
    void follow(IntConsumer back) {
        lives.follow(node -> {
            if (node < plan.settings().serverPlaces()) {
                long clock = membership.attendance().seat(node).clock();
                tables.forEach(table -> table.intake().restart(node, clock + 1));
                back.accept(node);
            }
        });
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int server = Frame.origin(buffer, offset);
        if (server >= plan.settings().serverPlaces()) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        if (grows && lives.isBehind()) {
            lives.follow(arrival -> {}); // what is owned since is followed with the round from which it is
        }
        int epoch = Frame.epoch(buffer, offset);
        if (lives.isPast(server, epoch)) {
            return drop(Rejection.STALE_EPOCH);
        }
        if (lives.isToCome(server, epoch)) {
            return Action.ABORT;
        }
        return switch (templateId) {
            case DataDecoder.TEMPLATE_ID -> onData(server, buffer, offset, length);
            case MarkDecoder.TEMPLATE_ID -> onMark(server, buffer, offset);
            case ErrorDecoder.TEMPLATE_ID -> throw cannotGoOn(buffer, offset);
            default -> drop(Rejection.UNEXPECTED);
        };
    }

    /** Who takes no more part is sent to until it has left, and would be at no version if it applied some of that. */
    private boolean isOfNoUse(long version) {
        CrewHistory history = membership.crews().history();
        if (history != followed) {
            followed = history;
            long since = history.goneSince(Role.WORKER, plan.workerIndex(membership.node()));
            goneSince = since > 0 ? since : Long.MAX_VALUE;
        }
        return version <= handedOver || version >= goneSince;
    }

    /** What is broadcast behind this worker's last version shows what it lacks of that, as it would if it were due. */
    private void lookBehind(int tree, Table table, long version) {
        boolean isBehindAll = version > handedOver && version >= goneSince;
        boolean mayLack = null != missing && Ways.NONE != tree && table.intake().expects(tree);
        if (isBehindAll && mayLack && table.intake().ledger(tree).round() < goneSince) {
            missing.ahead(tree);
        }
    }

    private ClusterException cannotGoOn(DirectBuffer buffer, int offset) {
        ErrorDecoder error = new ErrorDecoder().wrapAndApplyHeader(buffer, offset, header);
        return membership.fail(Failure.PEER_FAILED, error.message());
    }

    private Action onData(int server, DirectBuffer buffer, int offset, int length) {
        data.wrapAndApplyHeader(buffer, offset, header);
        Table table = tableOf(server, data.table());
        int slice = data.slice();
        boolean isSound = null != table
                && table.isOwner(server, slice)
                && data.elements() == table.spec().sliceLength(slice);
        int tree = isSound ? ways.tree(server, data.table(), slice) : Ways.NONE;
        if (isOfNoUse(data.clock())) {
            lookBehind(tree, table, data.clock());
            return Action.CONTINUE;
        }
        if (!isSound) {
            return drop(Rejection.UNEXPECTED);
        }
        ClockLedger ledger = openLedger(tree, table, data.clock());
        if (null == ledger || ledger.isPast(data.clock(), data.sequence())) {
            return drop(Rejection.DUPLICATE);
        }
        if (!ledger.isNext(data.clock(), data.sequence())) {
            if (null != missing) {
                return missing.ahead(tree);
            }
            throw breach(server, table, ledger.gapBefore(data.clock(), data.sequence()));
        }
        if (isBeforeItsTime(tree, table, data.clock())) {
            return Action.ABORT;
        }
        if (data.flags().partial() && !managed) {
            throw breach(
                    server,
                    table,
                    "sent a part of slice " + slice + " in clock " + data.clock() + ", which protocol "
                            + plan.settings().protocol().word() + " does not know");
        }
        if (table.intake().hasApplied(slice, data.clock())) {
            ledger.enter(Frame.checksum(buffer, offset)); // it was applied before the server sent it again
            arrived(tree);
            return drop(Rejection.DUPLICATE);
        }
        Rejection rejection = apply(server, table, slice, buffer, offset, length);
        if (null != rejection) {
            return drop(rejection);
        }
        ledger.enter(decoder.checksum());
        table.intake().applied(slice, data.clock());
        arrived(tree);
        return Action.CONTINUE;
    }

    /**
     * One that has come back is sent all that was broadcast meanwhile, and what it pushed in its life before has a
     * part in that. It computes each clock again on the version that it computed it on then: a later one waits until
     * this life, too, has pushed what is in it.
     */
    private boolean isBeforeItsTime(int tree, Table table, long version) {
        if (!returned || version <= table.pushedRound()) {
            return false;
        }
        arrived(tree); // it is not missing
        return true;
    }

    private void arrived(int tree) {
        if (null != missing) {
            missing.arrived(tree);
        }
    }

    private Rejection apply(int server, Table table, int slice, DirectBuffer buffer, int offset, int length) {
        DecodedBytes ofThread = DecodedBytes.ofThisThread();
        long before = ofThread.get();
        Rejection rejection = decoder.wrap(buffer, offset, length);
        decoded.accept(ofThread.get() - before);
        if (null != rejection) {
            return rejection;
        }
        long at = table.spec().sliceStart(slice) * Float.BYTES;
        int elements = table.spec().sliceLength(slice);
        try {
            return pulled
                    ? accumulator.overwrite(decoder, table.replica(), at, elements)
                    : accumulator.add(decoder, table.replica(), at, elements);
        } catch (NotFiniteException e) {
            throw membership.fail(
                    Failure.NOT_FINITE,
                    "server " + server + " broadcast " + e.added() + " for "
                            + table.spec().at(slice, e.element()) + " in version " + decoder.clock()
                            + ", which makes the parameter " + e.sum() + ", expected finite numbers");
        }
    }

    private Action onMark(int server, DirectBuffer buffer, int offset) {
        mark.wrapAndApplyHeader(buffer, offset, header);
        Table table = tableOf(server, mark.table());
        int tree = ways.tree(server, mark.way());
        if (isOfNoUse(mark.clock())) {
            lookBehind(null == table ? Ways.NONE : tree, table, mark.clock());
            return Action.CONTINUE;
        }
        if (null == table || Ways.NONE == tree || !table.intake().expects(tree)) {
            return drop(Rejection.UNEXPECTED);
        }
        long version = mark.clock();
        ClockLedger ledger = openLedger(tree, table, version);
        if (null == ledger || version < ledger.round()) {
            return drop(Rejection.DUPLICATE);
        }
        boolean early = version > ledger.round() || mark.frames() > ledger.frames();
        if (early && null != missing) {
            return missing.ahead(tree);
        }
        if (early || !ledger.agrees(mark.frames(), mark.digest())) {
            throw breach(server, table, ledger.disagreement(version, mark.frames(), mark.digest()));
        }
        if (isBeforeItsTime(tree, table, version)) {
            return Action.ABORT;
        }
        ledger.open(version + 1);
        table.intake().close(tree, version);
        arrived(tree);
        return Action.CONTINUE;
    }

    /** Broadcast versions follow one another; a reply to a pull begins at whatever version the server is at. */
    private ClockLedger openLedger(int tree, Table table, long version) {
        ClockLedger ledger = table.intake().ledger(tree);
        if (!pulled) {
            return ledger;
        }
        if (table.intake().isAnswered(tree)) {
            return null; // nobody asked
        }
        if (0 == ledger.frames() && version >= ledger.round() - 1) {
            ledger.open(version);
        }
        return ledger;
    }

    private Table tableOf(int server, int table) {
        return table < tables.size() && tables.get(table).intake().owns(server) ? tables.get(table) : null;
    }

    private ClusterException breach(int server, Table table, String what) {
        String who = "server " + server + ", table " + table.spec().name() + ", ";
        return membership.fail(Failure.PROTOCOL_BREACH, who + what);
    }

    private Action drop(Rejection rejection) {
        reject.accept(rejection);
        return Action.CONTINUE;
    }
}
