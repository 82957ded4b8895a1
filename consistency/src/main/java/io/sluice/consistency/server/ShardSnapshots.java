package io.sluice.consistency.server;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.membership.WorkerSetChange;
import io.sluice.consistency.snapshot.ClockLog;
import io.sluice.consistency.snapshot.NodeSnapshots;
import io.sluice.consistency.snapshot.Snapshot;
import io.sluice.consistency.snapshot.SnapshotSchedule;
import io.sluice.consistency.snapshot.StoredSnapshot;
import io.sluice.consistency.terms.TableSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.NanoClock;

/**
 * Copies a server's sums at the clock of a snapshot: each slice right after it was finalised, when its sum is the
 * residual and contains nothing of the next clock. In elastic jobs the parameters are copied as well, and the changes
 * of the worker set are saved with both.
 */
final class ShardSnapshots {
    private final NodeSnapshots snapshots;
    private final ServerView view;
    private final int server;
    private final String declared;
    private final NanoClock clock;
    private final List<TableSpec> specs;
    private TableShard[] byId = new TableShard[0];

    /**
     * The log of the frames accepted, which is all that clocks change here if workers consume all tables; otherwise
     * null.
     */
    private ClockLog log;

    /** The tables of the log, which never change. */
    private List<TableShard> logged = List.of();

    /** The clock whose record is open, and the tables that have not closed it yet. */
    private long logging;

    private int openInLog;

    /** The tables with slices to copy. */
    private List<TableShard> copied = List.of();

    /** For each table, a copy of each store; null for a table without slices here. */
    private final MemorySegment[][] copies;

    /** For each table, the number of accepted frames up to the clock of the snapshot. */
    private final long[] taken;

    /** For each table, the number of accepted frames up to its last clock. */
    private final long[] loggedTaken;

    private long taking = SnapshotSchedule.NONE;
    private long answered = SnapshotSchedule.NONE;
    private int openTables;
    private long startNs;
    private boolean begun;

    /**
     * Allocates the copies when the first snapshot is ordered.
     *
     * @param snapshots saves the copies
     * @param view      view of this server
     * @param server    index of the server
     * @param specs     specs of all tables
     * @param clock     monotonic clock that measures the cost of snapshots
     */
    ShardSnapshots(NodeSnapshots snapshots, ServerView view, int server, List<TableSpec> specs, NanoClock clock) {
        this.snapshots = snapshots;
        this.view = view;
        this.server = server;
        this.specs = specs;
        this.declared = specs.toString();
        this.copies = new MemorySegment[specs.size()][];
        this.taken = new long[specs.size()];
        this.loggedTaken = new long[specs.size()];
        this.clock = clock;
    }

    /** Wraps a sink and copies finalised slices. A snapshot in progress is abandoned if a table gets other slices. */
    RoundSink around(TableSpec spec, RoundSink inner) {
        if (SnapshotSchedule.NONE != taking) {
            snapshots.refuseAsLate(taking);
            taking = SnapshotSchedule.NONE;
        }
        return new RoundSink() {
            @Override
            public void finalise(int slice, long round) {
                inner.finalise(slice, round);
                copy(spec.id(), slice, round);
            }

            @Override
            public boolean closeRound(long round) {
                boolean closed = inner.closeRound(round);
                if (closed) {
                    close(spec.id(), round);
                }
                return closed;
            }

            @Override
            public boolean isReady(int slice) {
                return inner.isReady(slice);
            }

            @Override
            public void changed(int slice) {
                inner.changed(slice);
            }

            @Override
            public float residualMaxAbs() {
                return inner.residualMaxAbs();
            }
        };
    }

    /** Begins once all tables are declared; {@code all} has null for a table without slices here. */
    void begin(TableShard[] all) {
        byId = all;
        logged = owned();
        if (!logged.isEmpty() && specs.stream().allMatch(TableSpec::consumed)) {
            log = snapshots.log(Long.MAX_VALUE);
        }
    }

    private List<TableShard> owned() {
        return Arrays.stream(byId)
                .filter(table -> null != table && table.part().slices().length > 0)
                .toList();
    }

    /** The name of a store, by its place among those of {@link TablePart#stores}. */
    private static String section(TableShard table, int store) {
        int states = table.part().sums().stage().states().size();
        String name = 0 == store ? "sums" : store <= states ? "state " + store : "parameters";
        return name + " of table " + table.spec().id();
    }

    private static String taken(TableShard table) {
        return "frames taken of table " + table.spec().id();
    }

    /**
     * Restores the state of a clock, except the clocks.
     *
     * @throws io.sluice.consistency.snapshot.SnapshotException if the snapshot is damaged or of another cluster
     */
    void restore(long from) {
        try (Arena file = Arena.ofConfined()) {
            StoredSnapshot snapshot = snapshots.read(from, declared, file);
            for (TableShard table : owned()) {
                MemorySegment[] stores = table.part().stores();
                for (int store = 0; store < stores.length; store++) {
                    snapshot.copyTo(section(table, store), stores[store]);
                }
                taken[table.spec().id()] = snapshot.count(taken(table));
            }
            snapshots.replay(snapshot.clock(), from, (at, items) -> {
                for (TableShard table : owned()) {
                    taken[table.spec().id()] = items.nextNumber();
                }
            });
        }
        for (TableShard table : owned()) {
            table.continueFrom(taken[table.spec().id()]);
        }
        if (null != log) {
            log.begin(from);
        }
    }

    /** Checks whether a snapshot has been ordered; returns the amount of work done. */
    int work() {
        long ordered = snapshots.news().ordered();
        if (ordered == answered) {
            return 0;
        }
        answered = ordered;
        taking = SnapshotSchedule.NONE; // an incomplete snapshot has been abandoned
        if (!view.workerSets().owns(server)) {
            return 1; // only nodes that take part save snapshots
        }
        if (snapshots.isBusy()) {
            snapshots.refuseAsBusy(ordered);
        } else if (isOpenOrPassed(ordered)) {
            snapshots.refuseAsLate(ordered);
        } else {
            begin(ordered);
        }
        return 1;
    }

    /** Whether a round is closed or open, so that slices of it may have been finalised. */
    private boolean isOpenOrPassed(long round) {
        for (TableShard table : owned()) {
            if (table.version() + 1 >= round) {
                return true;
            }
        }
        return false;
    }

    private void begin(long ordered) {
        long copyNs = clock.nanoTime();
        copied = owned();
        for (TableShard table : copied) {
            MemorySegment[] stores = table.part().stores();
            MemorySegment[] before = copies[table.spec().id()];
            if (null == before || before[0].byteSize() != stores[0].byteSize()) {
                copies[table.spec().id()] = Arrays.stream(stores)
                        .map(store -> OffHeap.allocate(store.byteSize()))
                        .toArray(MemorySegment[]::new);
            }
        }
        snapshots.copied(copyNs);
        taking = ordered;
        openTables = copied.size();
        begun = false;
        if (copied.isEmpty()) {
            startNs = clock.nanoTime();
            save();
        }
    }

    private void copy(int table, int position, long round) {
        if (round == taking) {
            long copyNs = clock.nanoTime();
            if (!begun) {
                begun = true;
                startNs = copyNs; // the cost of a snapshot begins with its first copy, not with its order
            }
            SliceStore sums = byId[table].sums();
            MemorySegment[] stores = byId[table].part().stores();
            long offset = sums.offset(position);
            long bytes = (long) sums.length(position) * Float.BYTES;
            for (int store = 0; store < stores.length; store++) {
                MemorySegment.copy(stores[store], offset, copies[table][store], offset, bytes);
            }
            snapshots.copied(copyNs);
        }
    }

    /** Copies the state of a table that is still at a clock: no push of the next round has arrived. */
    private void close(int table, long round) {
        if (null != log) {
            log(table, round);
        }
        if (round == taking) {
            taken[table] = byId[table].framesTaken();
            openTables--;
            if (0 == openTables) {
                save();
            }
        }
    }

    /** Completes the record of a clock when the last table has closed it; only then may it close the next one. */
    private void log(int table, long round) {
        if (logging != round) {
            logging = round;
            openInLog = logged.size();
        }
        loggedTaken[table] = byId[table].framesTaken();
        openInLog--;
        if (0 == openInLog) {
            for (TableShard each : logged) {
                log.add(loggedTaken[each.spec().id()]);
            }
            log.end(round);
        }
    }

    private void save() {
        List<Snapshot.Section> sections = new ArrayList<>();
        for (TableShard table : copied) {
            int id = table.spec().id();
            for (int store = 0; store < copies[id].length; store++) {
                sections.add(new Snapshot.Section(section(table, store), copies[id][store]));
            }
            sections.add(Snapshot.Section.ofCount(taken(table), taken[id]));
        }
        sections.add(Snapshot.Section.ofNumbers(
                Snapshot.WORKER_SETS,
                view.workerSets().changes().stream()
                        .filter(change -> change.clock() <= taking)
                        .mapToLong(WorkerSetChange::code)
                        .toArray()));
        snapshots.save(taking, declared, sections, startNs);
        taking = SnapshotSchedule.NONE;
    }
}
