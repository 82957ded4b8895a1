package io.sluice.consistency.server;

import io.sluice.consistency.clock.ClockLedger;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * Slices that one other server is handed, as they were when the round began from which on it owns them: of each what
 * was left in the sum, then the parameters, and behind all of a table a mark (decision 37).
 *
 * <p>Used by the server's thread.
 */
final class Emigration {
    private final int life;
    private final DenseLine line;
    private final Deque<Load> loads = new ArrayDeque<>();
    private final BooleanSupplier next = this::write;
    private final ClockLedger ledger = new ClockLedger(0);

    /** Whether the sums of the slice at the position have been written, and its parameters come next. */
    private boolean half;

    private int position;

    /**
     * Slices of one table.
     *
     * @param table     its id
     * @param from      has them, and does not change any more
     * @param positions of those that go
     * @param version   that is in them
     */
    record Load(int table, TablePart from, int[] positions, long version) {}

    /**
     * Of nothing so far.
     *
     * @param life of the receiver, for which the line was opened
     * @param line to it
     */
    Emigration(int life, DenseLine line) {
        this.life = life;
        this.line = line;
    }

    /** Whether it leads to the one that has the receiver's place in this life of it. */
    boolean leadsTo(int lifeNow) {
        return life == lifeNow;
    }

    void add(Load load) {
        loads.add(load);
        if (1 == loads.size()) {
            ledger.open(load.version);
        }
    }

    /** Whether nothing was sent, nor waits to be, for so long. */
    boolean isIdle(long nowNs, long forNs) {
        return loads.isEmpty() && line.isQuiet(nowNs, forNs);
    }

    /** Sends what there is room for; returns the number of frames. */
    int work(long nowNs) {
        return line.work(nowNs, next);
    }

    private boolean write() {
        Load load = loads.peek();
        if (null == load) {
            return false;
        }
        if (position == load.positions.length) {
            line.writeMark(load.table, ledger);
            loads.remove();
            position = 0;
            if (!loads.isEmpty()) {
                ledger.open(loads.peek().version);
            }
            return true;
        }
        int at = load.positions[position];
        SliceStore store =
                half ? load.from.parameters().store() : load.from.sums().store();
        line.writeSlice(store, at, load.table, load.from.slices()[at], ledger);
        position += half ? 1 : 0;
        half = !half;
        return true;
    }

    void close() {
        line.close();
    }
}
