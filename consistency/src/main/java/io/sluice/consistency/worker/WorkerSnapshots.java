package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.snapshot.Snapshot;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.snapshot.StoredSnapshot;
import io.sluice.consistency.terms.TrainerState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.agrona.concurrent.NanoClock;

/**
 * Copies a worker's state at the clock of a snapshot: residuals and the trainer's own state at the end of that clock,
 * and each replica when it has reached that version, which is before the pushes of the next clock.
 */
final class WorkerSnapshots implements SnapshotStage {
    private static final String TRAINER = "trainer";
    private static final String PUSHED = "frames pushed";

    private final NodeSnapshots snapshots;
    private final String declared;
    private final List<Table> tables;
    private final NanoClock clock;
    private final List<MemorySegment> replicas = new ArrayList<>();
    private final List<MemorySegment> residuals = new ArrayList<>();
    private final BitSet missing = new BitSet();
    private final TrainerState trainer;
    private final WorkerStats stats;
    private byte[] trainerState;
    private long framesPushed;
    private long taking = SnapshotSchedule.NONE;
    private long answered = SnapshotSchedule.NONE;
    private long startNs;

    /**
     * Allocates the copies when the first snapshot is ordered.
     *
     * @param snapshots saves the copies
     * @param tables tables of the worker
     * @param trainer   state of the trainer
     * @param stats     continues from the counts at the snapshot
     * @param clock  measures their cost
     */
    private WorkerSnapshots(
            NodeSnapshots snapshots, List<Table> tables, TrainerState trainer, WorkerStats stats, NanoClock clock) {
        this.snapshots = snapshots;
        this.declared = declared(tables);
        this.tables = tables;
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
            NodeSnapshots snapshots, List<Table> tables, TrainerState trainer, WorkerStats stats, NanoClock clock) {
        return null == snapshots ? NONE : new WorkerSnapshots(snapshots, tables, trainer, stats, clock);
    }

    private static String declared(List<Table> tables) {
        return tables.stream().map(Table::spec).toList().toString();
    }

    private static String replica(Table table) {
        return "replica of table " + table.spec().id();
    }

    private static String residual(Table table) {
        return "residual of table " + table.spec().id();
    }

    @Override
    public void restore(long from) {
        try (Arena file = Arena.ofConfined()) {
            StoredSnapshot snapshot = snapshots.read(from, declared, file);
            for (Table table : tables) {
                snapshot.copyTo(replica(table), table.replica());
                snapshot.copyTo(residual(table), table.residual());
            }
            stats.continueFrom(snapshot.count(PUSHED));
            trainer.restore(snapshot.bytes(TRAINER));
        }
    }

    @Override
    public void endOfClock(long completed) {
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
        if (residuals.isEmpty()) {
            for (Table table : tables) {
                replicas.add(OffHeap.allocate(table.replica().byteSize()));
                residuals.add(OffHeap.allocate(table.residual().byteSize()));
            }
        }
        for (int i = 0; i < residuals.size(); i++) {
            residuals.get(i).copyFrom(tables.get(i).residual());
        }
        trainerState = trainer.save();
        framesPushed = stats.framesPushed();
        missing.set(0, tables.size());
        taking = ordered;
        snapshots.copied(startNs);
    }

    @Override
    public void capture(Table table) {
        int id = table.spec().id();
        if (table.version() != taking || !missing.get(id)) {
            return;
        }
        long copyNs = clock.nanoTime();
        replicas.get(id).copyFrom(table.replica());
        snapshots.copied(copyNs);
        missing.clear(id);
        if (missing.isEmpty()) {
            snapshots.save(taking, declared, sections(), startNs);
            taking = SnapshotSchedule.NONE;
        }
    }

    private List<Snapshot.Section> sections() {
        List<Snapshot.Section> sections = new ArrayList<>();
        for (int i = 0; i < residuals.size(); i++) {
            sections.add(new Snapshot.Section(replica(tables.get(i)), replicas.get(i)));
            sections.add(new Snapshot.Section(residual(tables.get(i)), residuals.get(i)));
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
