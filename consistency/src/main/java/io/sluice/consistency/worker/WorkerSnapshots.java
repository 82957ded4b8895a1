package io.sluice.consistency.worker;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.OffHeap;
import io.sluice.codecs.Rejection;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.snapshot.ClockLog;
import io.sluice.consistency.snapshot.LoggedClocks;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.snapshot.Snapshot;
import io.sluice.consistency.snapshot.SnapshotException;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.snapshot.StoredSnapshot;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Copies a worker's state at the clock of a snapshot: residuals and the trainer's own state at the end of that clock,
 * and each replica when it has reached that version, which is before the pushes of the next clock.
 */
final class WorkerSnapshots implements SnapshotStage {
    private static final String TRAINER = "trainer";
    private static final String PUSHED = "frames pushed";
    private static final byte[] NO_MORE_FRAMES = {};

    private final NodeSnapshots snapshots;
    private final List<Table> tables;
    private final FactorTables factors;
    private final ClusterSettings settings;
    private final String declared;

    /** Log of this worker's clocks; null if clocks are not logged. */
    private final ClockLog log;

    private final List<Kept> kept = new ArrayList<>();
    private final NanoClock clock;
    private final BitSet missing = new BitSet();
    private final TrainerState trainer;
    private final WorkerStats stats;
    private byte[] trainerState;
    private long framesPushed;

    /** The trainer's state and the pushed frames at the end of the clock that is being logged. */
    private byte[] loggedTrainer = {};

    private long loggedPushed;
    private long taking = SnapshotSchedule.NONE;
    private long answered = SnapshotSchedule.NONE;
    private long startNs;

    /** The state of a table, and the copies that a snapshot saves. */
    private static final class Kept {
        private final int table;
        private final MemorySegment replica;
        private final MemorySegment residual;
        private MemorySegment replicaCopy;
        private MemorySegment residualCopy;

        Kept(int table, MemorySegment replica, MemorySegment residual) {
            this.table = table;
            this.replica = replica;
            this.residual = residual;
        }

        String replicaName() {
            return "replica of table " + table;
        }

        String residualName() {
            return "residual of table " + table;
        }
    }

    /**
     * Allocates the copies when the first snapshot is ordered.
     *
     * @param snapshots saves the copies
     * @param tables    tables of the worker
     * @param factors   factor tables of the worker; nothing is kept of the tables that carry their vectors, which are
     *     zero whenever a snapshot copies
     * @param trainer   state of the trainer
     * @param settings  terms of the cluster
     * @param stats     counts of this worker, which continue from those at the snapshot
     * @param clock     monotonic clock that measures the cost of snapshots
     */
    private WorkerSnapshots(
            NodeSnapshots snapshots,
            List<Table> tables,
            FactorTables factors,
            TrainerState trainer,
            ClusterSettings settings,
            WorkerStats stats,
            NanoClock clock) {
        this.snapshots = snapshots;
        this.tables = tables;
        this.factors = factors;
        this.settings = settings;
        this.declared = tables.stream().map(Table::spec).toList().toString()
                + factors.all().stream().map(FactorTable::declared).toList();
        tables.stream()
                .filter(table -> !table.spec().consumed())
                .forEach(table -> kept.add(new Kept(table.spec().id(), table.replica(), table.residual())));
        factors.all().forEach(table -> kept.add(new Kept(table.id(), table.matrix(), table.kept())));
        boolean logs = tables.stream().allMatch(table -> table.spec().consumed()) && !factors.keepState();
        log = logs
                ? snapshots.log(
                        kept.stream().mapToLong(each -> each.replica.byteSize()).sum())
                : null;
        this.trainer = trainer;
        this.stats = stats;
        this.clock = clock;
    }

    /**
     * Creates the snapshot stage of a worker.
     *
     * @param snapshots saves the copies; null if it keeps none
     */
    static SnapshotStage of(
            NodeSnapshots snapshots,
            List<Table> tables,
            FactorTables factors,
            TrainerState trainer,
            ClusterSettings settings,
            WorkerStats stats,
            NanoClock clock) {
        return null == snapshots
                ? NONE
                : new WorkerSnapshots(snapshots, tables, factors, trainer, settings, stats, clock);
    }

    @Override
    public void restore(long from) {
        try (Arena file = Arena.ofConfined()) {
            StoredSnapshot snapshot = snapshots.read(from, declared, file);
            for (Kept each : kept) {
                snapshot.copyTo(each.replicaName(), each.replica);
                snapshot.copyTo(each.residualName(), each.residual);
            }
            trainerState = snapshot.bytes(TRAINER);
            framesPushed = snapshot.count(PUSHED);
            replay(snapshot.clock(), from);
        }
        stats.continueFrom(framesPushed);
        trainer.restore().accept(trainerState);
        if (null != log) {
            log.begin(from);
        }
    }

    /** Adds the logged vectors, as they were added when they arrived. */
    private void replay(long from, long to) {
        factors.continueFrom(from);
        DataFrameDecoder decoder =
                new DataFrameDecoder(settings.sliceElements(), Policies.newAcceptedCompressors(settings));
        BlockAccumulator accumulator = new BlockAccumulator(Kernels.preferred());
        snapshots.replay(from, to, (at, items) -> {
            while (items.next() && items.length() > 0) {
                add(items, decoder, accumulator);
            }
            framesPushed = items.nextNumber();
            trainerState = items.nextBytes();
            factors.all().forEach(FactorTable::consumeNext);
        });
    }

    private void add(LoggedClocks.Items frame, DataFrameDecoder decoder, BlockAccumulator accumulator) {
        Rejection rejection = decoder.wrap(frame.buffer(), frame.offset(), frame.length());
        if (null == rejection) {
            Table table = tables.get(decoder.table());
            TableSpec spec = table.spec();
            long at = spec.sliceStart(decoder.slice()) * Float.BYTES;
            rejection = accumulator.add(decoder, table.replica(), at, spec.sliceLength(decoder.slice()));
        }
        if (null != rejection) {
            throw new SnapshotException(
                    "the log of clocks has a frame that is " + rejection + ", expected a valid one");
        }
    }

    @Override
    public void endOfClock(long completed) {
        if (null != log && log.isOpen()) {
            loggedTrainer = trainer.save().get();
            loggedPushed = stats.framesPushed();
        }
        long ordered = snapshots.news().ordered();
        if (ordered == answered || completed < ordered) {
            return;
        }
        answered = ordered;
        taking = SnapshotSchedule.NONE; // an incomplete snapshot has been abandoned
        if (completed > ordered) {
            snapshots.refuseAsLate(ordered);
        } else if (snapshots.isBusy()) {
            snapshots.refuseAsBusy(ordered);
        } else {
            begin(ordered);
        }
    }

    private void begin(long ordered) {
        startNs = clock.nanoTime();
        for (Kept each : kept) {
            if (null == each.residualCopy) {
                each.replicaCopy = OffHeap.allocate(each.replica.byteSize());
                each.residualCopy = OffHeap.allocate(each.residual.byteSize());
            }
            each.residualCopy.copyFrom(each.residual);
            missing.set(each.table);
        }
        trainerState = trainer.save().get();
        framesPushed = stats.framesPushed();
        taking = ordered;
        snapshots.copied(startNs);
    }

    @Override
    public void capture(Table table) {
        if (!table.spec().consumed()) {
            capture(table.spec().id(), table.version());
        }
    }

    @Override
    public void capture(FactorTable table) {
        // true at the last factor table that completes this version
        if (null != log && factors.version() == table.version()) {
            log.add(NO_MORE_FRAMES);
            log.add(loggedPushed);
            log.add(loggedTrainer);
            log.end(table.version());
        }
        capture(table.id(), table.version());
    }

    @Override
    public void onVectors(DirectBuffer frame, int offset, int length) {
        if (null != log) {
            log.add(frame, offset, length);
        }
    }

    private void capture(int table, long version) {
        if (version != taking || !missing.get(table)) {
            return;
        }
        long copyNs = clock.nanoTime();
        for (Kept each : kept) {
            if (each.table == table) {
                each.replicaCopy.copyFrom(each.replica);
            }
        }
        snapshots.copied(copyNs);
        missing.clear(table);
        if (missing.isEmpty()) {
            snapshots.save(taking, declared, sections(), startNs);
            taking = SnapshotSchedule.NONE;
        }
    }

    private List<Snapshot.Section> sections() {
        List<Snapshot.Section> sections = new ArrayList<>();
        for (Kept each : kept) {
            sections.add(new Snapshot.Section(each.replicaName(), each.replicaCopy));
            sections.add(new Snapshot.Section(each.residualName(), each.residualCopy));
        }
        sections.add(Snapshot.Section.ofCount(PUSHED, framesPushed));
        sections.add(new Snapshot.Section(TRAINER, MemorySegment.ofArray(trainerState)));
        return sections;
    }

    @Override
    public void close() {
        snapshots.close();
    }
}
