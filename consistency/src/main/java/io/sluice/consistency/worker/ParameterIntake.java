package io.sluice.consistency.worker;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MarkDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.filter.BlockAccumulator;
import io.sluice.messaging.FrameHandler;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;

/** Takes the parameters with which a newcomer begins: of each server all its slices of each table, and a mark. */
final class ParameterIntake implements FrameHandler {
    private final Membership membership;
    private final DataFrameDecoder decoder;
    private final BlockAccumulator accumulator;
    private final List<Table> tables;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final MarkDecoder mark = new MarkDecoder();
    private Consumer<Rejection> reject;

    /** By server and table; null where nothing is expected, or no more. */
    private final ClockLedger[][] ledgers;

    private int missing;

    ParameterIntake(Membership membership, DataFrameDecoder decoder, BlockAccumulator accumulator, List<Table> tables) {
        this.membership = membership;
        this.decoder = decoder;
        this.accumulator = accumulator;
        this.tables = tables;
        this.ledgers = new ClockLedger[membership.plan().settings().serverPlaces()][tables.size()];
    }

    void rejectBy(Consumer<Rejection> counter) {
        reject = counter;
    }

    /** Expects the parameters of a version from now on. */
    void expect(long version) {
        for (int server = 0; server < ledgers.length; server++) {
            for (Table table : tables) {
                if (table.intake().owns(server)) {
                    ledgers[server][table.spec().id()] = new ClockLedger(version);
                    missing++;
                }
            }
        }
    }

    /** Whether all that was expected is there. */
    boolean isComplete() {
        return 0 == missing;
    }

    /** Servers from which something is still expected, in words. */
    String late() {
        return IntStream.range(0, ledgers.length)
                .filter(server -> Arrays.stream(ledgers[server]).anyMatch(Objects::nonNull))
                .mapToObj(server -> "server " + server)
                .collect(Collectors.joining(", "));
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int server = Frame.origin(buffer, offset);
        if (server >= ledgers.length) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        return switch (templateId) {
            case DataDecoder.TEMPLATE_ID -> onData(server, buffer, offset, length);
            case MarkDecoder.TEMPLATE_ID -> onMark(server, buffer, offset);
            default -> drop(Rejection.UNEXPECTED);
        };
    }

    private Action onData(int server, DirectBuffer buffer, int offset, int length) {
        data.wrapAndApplyHeader(buffer, offset, header);
        ClockLedger ledger = ledger(server, data.table());
        if (null == ledger
                || !tables.get(data.table()).isOwner(server, data.slice())
                || ledger.isPast(data.clock(), data.sequence())) {
            return drop(Rejection.UNEXPECTED);
        }
        if (!ledger.isNext(data.clock(), data.sequence())) {
            throw breach(server, data.table(), ledger.gapBefore(data.clock(), data.sequence()));
        }
        Rejection rejection = decoder.wrap(buffer, offset, length);
        if (null == rejection) {
            Table table = tables.get(data.table());
            long at = table.spec().sliceStart(data.slice()) * Float.BYTES;
            rejection = accumulator.overwrite(
                    decoder, table.replica(), at, table.spec().sliceLength(data.slice()));
        }
        if (null != rejection) {
            return drop(rejection);
        }
        ledger.enter(decoder.checksum());
        return Action.CONTINUE;
    }

    private Action onMark(int server, DirectBuffer buffer, int offset) {
        mark.wrapAndApplyHeader(buffer, offset, header);
        ClockLedger ledger = ledger(server, mark.table());
        if (null == ledger || mark.clock() != ledger.round()) {
            return drop(Rejection.UNEXPECTED);
        }
        if (!ledger.agrees(mark.frames(), mark.digest())) {
            throw breach(server, mark.table(), ledger.disagreement(mark.clock(), mark.frames(), mark.digest()));
        }
        ledgers[server][mark.table()] = null;
        missing--;
        return Action.CONTINUE;
    }

    private ClockLedger ledger(int server, int table) {
        return table < tables.size() ? ledgers[server][table] : null;
    }

    private ClusterException breach(int server, int table, String what) {
        String who = "server " + server + ", table " + tables.get(table).spec().name() + ", ";
        return membership.fail(Failure.PROTOCOL_BREACH, who + what);
    }

    private Action drop(Rejection rejection) {
        reject.accept(rejection);
        return Action.CONTINUE;
    }
}
