package io.sluice.consistency.wire;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.Rejection;
import io.sluice.codecs.sbe.DataDecoder;
import io.sluice.codecs.sbe.MessageHeaderDecoder;
import io.sluice.codecs.sbe.RoundCommitDecoder;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.membership.Membership;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.messaging.FrameHandler;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.agrona.DirectBuffer;

/**
 * Receives the state that servers hand over: the frames of each {@link StateSender.Load}, in order, and the round
 * commit that verifies them. For one thread.
 */
public final class StateReceiver implements FrameHandler {
    private final Membership membership;
    private final List<TableSpec> specs;
    private final ToIntFunction<TableSpec> stores;
    private final DataFrameDecoder decoder;
    private final BlockAccumulator accumulator;
    private final Destination destination;
    private final Consumer<Rejection> reject;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final DataDecoder data = new DataDecoder();
    private final RoundCommitDecoder commit = new RoundCommitDecoder();

    /** The ledger of each load, by server and table; null while no load is in flight. */
    private final ClockLedger[][] ledgers;

    /** The decision on a received slice. */
    public enum Admission {
        /** The destination waits for the slice. */
        TAKE,
        /** The destination may wait for the slice later: its frame stays in its log. */
        LATER,
        /** The destination does not need the slice. */
        DROP
    }

    /** The destination of the received state. */
    public interface Destination {
        /** Whether the destination waits for a slice of a version from a server now. */
        Admission admit(int server, TableSpec spec, int slice, long version);

        /** A store of a table, by its place in {@link StateSender.Load#stores}. */
        MemorySegment store(TableSpec spec, int index);

        /** The byte offset of a slice, equal in all stores. */
        long offset(TableSpec spec, int slice);

        /** Handles a slice that all stores now have. */
        void onSlice(TableSpec spec, int slice);

        /** Handles a load of which all slices have arrived. */
        void onLoad(int server, TableSpec spec);
    }

    /**
     * Creates a receiver that awaits nothing yet.
     *
     * @param membership  membership of this node
     * @param specs       all tables
     * @param stores      number of stores of a table: memory areas of equal layout that each of its loads fills
     * @param kernels     kernels that decode and add blocks
     * @param destination receives the slices, and decides which of them are accepted
     * @param reject      counts dropped frames, by reason
     */
    public StateReceiver(
            Membership membership,
            List<TableSpec> specs,
            ToIntFunction<TableSpec> stores,
            Kernels kernels,
            Destination destination,
            Consumer<Rejection> reject) {
        ClusterSettings settings = membership.plan().settings();
        this.membership = membership;
        this.specs = specs;
        this.stores = stores;
        this.decoder = new DataFrameDecoder(settings.sliceElements(), Policies.newAcceptedCompressors(settings));
        this.accumulator = new BlockAccumulator(kernels);
        this.destination = destination;
        this.reject = reject;
        this.ledgers = new ClockLedger[settings.serverPlaces()][specs.size()];
    }

    /**
     * Forgets loads in flight from a server.
     *
     * @param server index of the server, whose place another node has now
     */
    public void forget(int server) {
        Arrays.fill(ledgers[server], null);
    }

    @Override
    public Action onFrame(DirectBuffer buffer, int offset, int length, int templateId, int session) {
        int server = Frame.origin(buffer, offset);
        if (server >= ledgers.length) {
            return drop(Rejection.UNKNOWN_ORIGIN);
        }
        return switch (templateId) {
            case DataDecoder.TEMPLATE_ID -> onData(server, buffer, offset, length);
            case RoundCommitDecoder.TEMPLATE_ID -> onRoundCommit(server, buffer, offset);
            default -> drop(Rejection.UNEXPECTED);
        };
    }

    private Action onData(int server, DirectBuffer buffer, int offset, int length) {
        data.wrapAndApplyHeader(buffer, offset, header);
        TableSpec spec = data.table() < specs.size() ? specs.get(data.table()) : null;
        if (null == spec || data.slice() >= spec.slices()) {
            return drop(Rejection.UNEXPECTED);
        }
        int slice = data.slice();
        long version = data.clock();
        Admission admission = destination.admit(server, spec, slice, version);
        if (Admission.LATER == admission) {
            return Action.ABORT;
        }
        boolean valid =
                data.elements() == spec.sliceLength(slice) && !data.flags().partial();
        if (Admission.DROP == admission || !valid) {
            return drop(Rejection.UNEXPECTED);
        }
        ClockLedger ledger = ledger(server, spec.id(), version);
        if (ledger.isPast(version, data.sequence())) {
            return drop(Rejection.DUPLICATE);
        }
        if (!ledger.isNext(version, data.sequence())) {
            throw breach(server, spec, ledger.gapBefore(version, data.sequence()));
        }
        int count = stores.applyAsInt(spec);
        int index = data.sequence() % count;
        Rejection rejection = decoder.wrap(buffer, offset, length);
        if (null == rejection) {
            rejection = accumulator.overwrite(
                    decoder, destination.store(spec, index), destination.offset(spec, slice), spec.sliceLength(slice));
        }
        if (null != rejection) {
            return drop(rejection);
        }
        ledger.enter(decoder.checksum());
        if (index == count - 1) {
            destination.onSlice(spec, slice);
        }
        return Action.CONTINUE;
    }

    private Action onRoundCommit(int server, DirectBuffer buffer, int offset) {
        commit.wrapAndApplyHeader(buffer, offset, header);
        ClockLedger ledger = commit.table() < specs.size() ? ledgers[server][commit.table()] : null;
        if (null == ledger || commit.clock() != ledger.round()) {
            return drop(Rejection.UNEXPECTED);
        }
        TableSpec spec = specs.get(commit.table());
        if (!ledger.agrees(commit.frames(), commit.digest())) {
            throw breach(server, spec, ledger.disagreement(commit.clock(), commit.frames(), commit.digest()));
        }
        ledgers[server][spec.id()] = null;
        destination.onLoad(server, spec);
        return Action.CONTINUE;
    }

    /** The ledger of the load that is in flight, or begins. */
    private ClockLedger ledger(int server, int table, long version) {
        ClockLedger open = ledgers[server][table];
        if (null == open || 0 == open.frames() && open.round() < version) {
            ledgers[server][table] = new ClockLedger(version);
        }
        return ledgers[server][table];
    }

    private ClusterException breach(int server, TableSpec spec, String what) {
        return membership.fail(
                Failure.PROTOCOL_BREACH,
                "server " + server + ", table " + spec.name() + ", which it hands over, " + what);
    }

    private Action drop(Rejection rejection) {
        reject.accept(rejection);
        return Action.CONTINUE;
    }
}
