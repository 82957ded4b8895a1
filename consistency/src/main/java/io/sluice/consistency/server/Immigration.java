package io.sluice.consistency.server;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MarkDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.FrameHandler.Action;
import java.util.Arrays;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * Takes in what other servers hand over of slices that are owned here from a round on (decision 37). It is put off
 * until that round has begun here, and pushes for those slices are put off until it is in: so each float is added in
 * the order in which it always is. Used by the server's thread.
 */
final class Immigration {
    private final Membership membership;
    private final SliceMoves moves;
    private final TableShard[] tables;
    private final DataFrameDecoder decoder;
    private final BlockAccumulator accumulator;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final MarkDecoder mark = new MarkDecoder();

    /** By server, then by table. */
    private final ClockLedger[][] ledgers;

    Immigration(Membership membership, SliceMoves moves, TableShard[] tables, Kernels kernels) {
        ClusterSettings settings = membership.plan().settings();
        this.membership = membership;
        this.moves = moves;
        this.tables = tables;
        this.decoder = new DataFrameDecoder(settings.sliceElements(), settings.newAcceptedCompressors());
        this.accumulator = new BlockAccumulator(kernels);
        this.ledgers = new ClockLedger[settings.serverPlaces()][tables.length];
    }

    /** Another server has a place now: nothing more comes of the one before. */
    void forget(int server) {
        Arrays.fill(ledgers[server], null);
    }

    /** Takes in a frame of another server; tells why it is dropped, if it is. */
    Action onFrame(
            int server, DirectBuffer buffer, int offset, int length, int templateId, Consumer<Rejection> reject) {
        if (DataDecoder.TEMPLATE_ID == templateId) {
            return onData(server, buffer, offset, length, reject);
        }
        if (MarkDecoder.TEMPLATE_ID == templateId) {
            return onMark(server, buffer, offset, reject);
        }
        return drop(Rejection.UNEXPECTED, reject);
    }

    private Action onData(int server, DirectBuffer buffer, int offset, int length, Consumer<Rejection> reject) {
        data.wrapAndApplyHeader(buffer, offset, header);
        long version = data.clock();
        boolean undecided = moves.isUndecided(version + 1);
        if (data.table() >= tables.length || !moves.comes(data.table(), data.slice(), server, version + 1)) {
            return undecided ? Action.ABORT : drop(Rejection.UNEXPECTED, reject);
        }
        TableShard table = tables[data.table()];
        if (table.version() < version || !table.begins(version + 1)) {
            return Action.ABORT;
        }
        int position = table.position(data.slice());
        boolean sound = data.elements() == table.spec().sliceLength(data.slice())
                && !data.flags().partial();
        if (position < 0 || !table.awaits(position) || !sound) {
            return drop(Rejection.UNEXPECTED, reject); // of what is in nothing more can come
        }
        ClockLedger ledger = ledger(server, data.table(), version);
        if (ledger.isPast(version, data.sequence())) {
            return drop(Rejection.DUPLICATE, reject);
        }
        if (!ledger.isNext(version, data.sequence())) {
            throw breach(server, table, ledger.gapBefore(version, data.sequence()));
        }
        boolean isSum = 0 == (data.sequence() & 1); // each slice comes twice
        SliceStore target = isSum ? table.sums() : table.parameters().store();
        Rejection rejection = decoder.wrap(buffer, offset, length);
        if (null == rejection) {
            rejection =
                    accumulator.overwrite(decoder, target.segment(), target.offset(position), target.length(position));
        }
        if (null != rejection) {
            return drop(rejection, reject);
        }
        ledger.enter(decoder.checksum());
        if (!isSum) {
            table.arrived(position);
        }
        return Action.CONTINUE;
    }

    private Action onMark(int server, DirectBuffer buffer, int offset, Consumer<Rejection> reject) {
        mark.wrapAndApplyHeader(buffer, offset, header);
        ClockLedger ledger = mark.table() < tables.length ? ledgers[server][mark.table()] : null;
        if (null == ledger || mark.clock() != ledger.round()) {
            return drop(Rejection.UNEXPECTED, reject);
        }
        TableShard table = tables[mark.table()];
        if (!ledger.agrees(mark.frames(), mark.digest())) {
            throw breach(server, table, ledger.disagreement(mark.clock(), mark.frames(), mark.digest()));
        }
        ledgers[server][mark.table()] = null;
        return Action.CONTINUE;
    }

    /** That of the handing over that is under way, or begins. */
    private ClockLedger ledger(int server, int table, long version) {
        ClockLedger open = ledgers[server][table];
        if (null == open || 0 == open.frames() && open.round() < version) {
            ledgers[server][table] = new ClockLedger(version);
        }
        return ledgers[server][table];
    }

    private ClusterException breach(int server, TableShard table, String what) {
        String who = "server " + server + ", table " + table.spec().name() + ", which it hands over, ";
        return membership.fail(Failure.PROTOCOL_BREACH, who + what);
    }

    private static Action drop(Rejection rejection, Consumer<Rejection> reject) {
        reject.accept(rejection);
        return Action.CONTINUE;
    }
}
