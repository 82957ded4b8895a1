package io.sluice.consistency.worker;

import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.sluice.codecs.Rejection;
import io.sluice.consistency.clock.ClockLedger;
import io.sluice.consistency.spi.ConsistencyRule;
import io.sluice.consistency.wire.Gaps;
import java.util.List;

/**
 * Receives the vectors that other workers send. Like a server that receives pushes, it drops a frame that is ahead of
 * the due one and requests the missing frames from the sender. There is one link from each worker.
 *
 * <p>For the trainer's thread, also while it waits until its own links accept frames. Allocates nothing.
 */
final class PeerIntake extends BroadcastIntake {
    private final TrainerCalls calls;
    private final ConsistencyRule rule;
    private final Gaps missing;
    private final int firstWorker;
    private final int self;
    private final int end;

    /** The node whose matrix this worker gets in a rotation. */
    private final int predecessor;

    /** By table; null for tables that servers exchange. */
    private final PeerVectors[] vectors;

    /** By table and slice, the last clock in which the slice arrived. */
    private final long[][] arrived;

    /**
     * Creates an intake.
     *
     * @param parts       parts of an intake
     * @param calls       gives the clock of this worker
     * @param factors     factor tables
     * @param rule        bounds how far another worker may be ahead of it
     * @param missing     requests what is missing
     * @param firstWorker node id of the first worker
     * @param self        node id of this worker
     * @param workers     number of workers
     */
    PeerIntake(
            Parts parts,
            TrainerCalls calls,
            FactorTables factors,
            ConsistencyRule rule,
            Gaps missing,
            int firstWorker,
            int self,
            int workers) {
        super(parts);
        this.calls = calls;
        this.rule = rule;
        this.missing = missing;
        this.firstWorker = firstWorker;
        this.self = self;
        this.end = firstWorker + workers;
        this.predecessor = self == firstWorker ? end - 1 : self - 1;
        List<Table> tables = parts.tables();
        this.vectors = new PeerVectors[tables.size()];
        this.arrived = new long[tables.size()][];
        for (int i = 0; i < arrived.length; i++) {
            if (tables.get(i).spec().consumed()) {
                vectors[i] = factors.of(tables.get(i)).peers();
                arrived[i] = new long[tables.get(i).spec().slices()];
            }
        }
    }

    @Override
    boolean isSender(int node) {
        return node >= firstWorker && node < end && node != self;
    }

    @Override
    boolean isSenderOf(int node, Table table, int slice) {
        return slice < table.spec().slices() && table.blocks().isOfMatrix(slice)
                ? node == predecessor
                : super.isSenderOf(node, table, slice);
    }

    /** Refuses a clock for which the sender lacks this worker's vectors: its block may still be in use. */
    @Override
    boolean isDeferred(int node, int tree, Table table, long round) {
        long latest = rule.latestRound(calls.clock() + 1); // the open clock may have been pushed
        if (round > latest) {
            throw breach(
                    node,
                    table,
                    "sent clock " + round + ", but with this worker at clock " + calls.clock() + " the bound allows "
                            + latest);
        }
        return false;
    }

    /** Refuses vectors of other clocks than may be sent in this one, and those that have arrived before. */
    @Override
    void requireExpected(int node, Table table, int slice, long round) {
        PeerVectors own = vectors[table.spec().id()];
        VectorBlocks blocks = table.blocks();
        long first = own.first(round);
        long clock = blocks.clockOf(slice, round);
        if (blocks.isOfMatrix(slice)) {
            clock = own.multicast().rotates(round) ? round : 0;
        }
        long[] last = arrived[table.spec().id()];
        if (clock < first || last[slice] >= clock) {
            throw breach(
                    node,
                    table,
                    "sent slice " + slice + " in clock " + round + ", expected each slice at most once, with"
                            + " vectors of clock " + first + " or later");
        }
    }

    @Override
    void onApplied(Table table, int slice, long round) {
        arrived[table.spec().id()][slice] = round;
    }

    @Override
    Action onGap(int node, Table table, int tree, long round, int sequence) {
        return missing.canAsk(node - firstWorker)
                ? ahead(node, table)
                : super.onGap(node, table, tree, round, sequence);
    }

    @Override
    Action onEarlyRoundCommit(int node, Table table, int tree, ClockLedger ledger) {
        return missing.canAsk(node - firstWorker)
                ? ahead(node, table)
                : super.onEarlyRoundCommit(node, table, tree, ledger);
    }

    private Action ahead(int node, Table table) {
        missing.ahead(node - firstWorker, table.spec().id());
        return drop(Rejection.OUT_OF_ORDER);
    }

    @Override
    void onArrival(int tree, Table table) {
        missing.arrived(root(tree) - firstWorker, table.spec().id());
    }
}
