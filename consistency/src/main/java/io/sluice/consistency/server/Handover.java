package io.sluice.consistency.server;

import io.sluice.consistency.clock.ClockLedger;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * The parameters that one worker is handed before its first clock: all slices here of each table that it asks for,
 * dense, and a mark. They are those of one version, for the next needs a push of that very worker.
 *
 * <p>Used by the server's thread. Allocates nothing after construction.
 */
final class Handover {
    private static final long NOT_ASKED = -1;

    private final DenseLine line;
    private final TableShard[] tables;
    private final BooleanSupplier next = this::write;

    /** By table, the version that is asked for. */
    private final long[] wanted;

    private final ClockLedger ledger = new ClockLedger(0);
    private TableShard table;
    private int position;
    private int open;

    /**
     * Of nothing so far.
     *
     * @param line   to the worker
     * @param tables by id; null where the server owns nothing
     */
    Handover(DenseLine line, TableShard[] tables) {
        this.line = line;
        this.tables = tables;
        this.wanted = new long[tables.length];
        Arrays.fill(wanted, NOT_ASKED);
    }

    void ask(int id, long version) {
        open += NOT_ASKED == wanted[id] ? 1 : 0;
        wanted[id] = version;
    }

    /** Whether nothing was asked for or sent for so long. What is asked for may take a clock until it is there. */
    boolean isIdle(long nowNs, long forNs) {
        return 0 == open && line.isQuiet(nowNs, forNs);
    }

    /** Sends what is there and has room; returns the number of frames. */
    int work(long nowNs) {
        return line.work(nowNs, next);
    }

    private boolean write() {
        if (null == table && !begin()) {
            return false;
        }
        int id = table.spec().id();
        if (position == table.slices()) {
            line.writeMark(id, ledger);
            wanted[id] = NOT_ASKED;
            open--;
            table = null;
            return true;
        }
        line.writeSlice(table.parameters().store(), position, id, table.slice(position), ledger);
        position++;
        return true;
    }

    /** A table is handed over when it is at the version, and the round that needs the worker has begun. */
    private boolean begin() {
        for (int id = 0; id < wanted.length; id++) {
            long version = wanted[id];
            if (NOT_ASKED != version && tables[id].version() == version && tables[id].begins(version + 1)) {
                table = tables[id];
                position = 0;
                ledger.open(version);
                return true;
            }
        }
        return false;
    }

    void close() {
        line.close();
    }
}
