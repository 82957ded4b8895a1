package io.sluice.consistency.server;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.consistency.clock.SliceClocks;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.filter.spi.NotFiniteException;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;

/**
 * The sums of the slices that a server owns of one table, and which workers' parts they contain. Parts are added in
 * order of arrival, or in worker order with early parts held until their turn (decision 2). Used by the
 * server's thread.
 */
final class SliceSums {
    private final SumStage stage;
    private final SliceStore sums;
    private final SliceClocks clocks;
    private final boolean ordered;
    private final ReorderBuffer early;

    /** By position and worker, the slot of a held part; empty if parts are never held. */
    private final int[] held;

    /** For each position, the number of held parts. */
    private final int[] heldAt;

    /** For each position, the round of all parts that are held: under an ordered rule only one is open. */
    private final long[] heldRounds;

    private final boolean[] excused;

    /**
     * Creates empty sums.
     *
     * @param stage   adds parts to one sum per slice owned
     * @param slices  number of owned slices
     * @param workers number of workers
     * @param round   last round that the sums contain from all workers; -1 for none
     * @param ordered whether to add in worker order
     * @param early   buffer for parts that arrive before their turn in worker order, shared by all tables of the server
     */
    SliceSums(SumStage stage, int slices, int workers, long round, boolean ordered, ReorderBuffer early) {
        this.stage = stage;
        this.sums = stage.sums();
        this.clocks = new SliceClocks(slices, workers, round);
        this.ordered = ordered;
        this.early = early;
        boolean holds = ordered && early.capacity() > 0;
        this.held = new int[holds ? Math.multiplyExact(slices, workers) : 0];
        Arrays.fill(held, ReorderBuffer.NO_SLOT);
        this.heldAt = new int[holds ? slices : 0];
        this.heldRounds = new long[heldAt.length];
        this.excused = new boolean[workers];
    }

    /** The last round of each worker that is in the sum of each slice. */
    SliceClocks clocks() {
        return clocks;
    }

    /** Whether a worker's part can be added or held now. */
    boolean takes(int worker, int position, long round) {
        return isTurnOf(worker, position, round) || early.hasRoom();
    }

    SliceStore store() {
        return sums;
    }

    /** The stage that adds parts. */
    SumStage stage() {
        return stage;
    }

    private boolean isTurnOf(int worker, int position, long round) {
        return !ordered || clocks.minBelow(position, worker) >= round;
    }

    /**
     * Adds a worker's part and the held parts after it, or holds it. The caller has checked {@link #takes}.
     *
     * @throws ClusterException with {@link Failure#NOT_FINITE} if a sum becomes NaN or infinite, here and wherever held
     *     parts are added
     */
    void add(int worker, int position, DataFrameDecoder frame, DirectBuffer buffer, int offset, int length) {
        if (isTurnOf(worker, position, frame.clock())) {
            addInTurn(worker, position, frame);
            addHeld(position);
        } else {
            held[index(position, worker)] = early.hold(buffer, offset, length);
            heldAt[position]++;
            heldRounds[position] = frame.clock();
        }
    }

    private void addInTurn(int worker, int position, DataFrameDecoder frame) {
        try {
            stage.add(position, frame);
        } catch (NotFiniteException e) {
            throw notFinite(worker, position, frame.clock(), e);
        }
        if (!frame.partial()) {
            clocks.raise(position, worker, frame.clock());
        }
        if (excused[worker]) {
            clocks.excuse(position, worker);
        }
    }

    /** Creates the failure, after which no sum is broadcast, transferred or saved. */
    private ClusterException notFinite(int worker, int position, long round, NotFiniteException e) {
        String others = IntStream.range(0, clocks.workers())
                .filter(other -> other != worker && !excused[other] && clocks.get(position, other) >= round)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(", "));
        return new ClusterException(
                Failure.NOT_FINITE,
                "worker " + worker + " pushed " + e.added() + " for " + sums.at(position, e.element()) + " in clock "
                        + round + ", which makes the sum " + e.sum()
                        + (others.isEmpty() ? "" : " (with the updates of workers " + others + ")")
                        + ", expected finite numbers");
    }

    /**
     * Awaits no more parts of a worker. Its held parts are still added in their turn; later parts are added now if no
     * earlier part is missing.
     */
    void excuse(int worker) {
        excused[worker] = true;
        for (int position = 0; position < clocks.slices(); position++) {
            if (!isHeld(worker, position)) {
                clocks.excuse(position, worker);
                addHeld(position);
            }
        }
    }

    /** Awaits a worker's pushes again, after the given round. */
    void admit(int worker, long round) {
        excused[worker] = false;
        for (int position = 0; position < clocks.slices(); position++) {
            clocks.admit(position, worker, round);
        }
    }

    /** Records that a worker has completed a round: slices without a part receive nothing from it. */
    void closeRound(int worker, int position, long round) {
        if (!isHeld(worker, position)) {
            clocks.raise(position, worker, round);
            addHeld(position);
        }
    }

    /** Whether all parts of a worker for a slice of a round have arrived, in the sum or held. */
    boolean has(int worker, int position, long round) {
        return clocks.get(position, worker) >= round || isHeld(worker, position);
    }

    private boolean isHeld(int worker, int position) {
        return held.length > 0 && ReorderBuffer.NO_SLOT != held[index(position, worker)];
    }

    /**
     * A held part may belong to the round after the round that a late round commit closes, so its order depends on its
     * own round.
     */
    private void addHeld(int position) {
        if (0 == heldAt.length || 0 == heldAt[position]) {
            return;
        }
        long round = heldRounds[position];
        for (int worker = 1; worker < clocks.workers() && isTurnOf(worker, position, round); worker++) {
            if (isHeld(worker, position)) {
                int index = index(position, worker);
                int slot = held[index];
                held[index] = ReorderBuffer.NO_SLOT;
                heldAt[position]--;
                addInTurn(worker, position, early.release(slot));
            }
        }
    }

    private int index(int position, int worker) {
        return position * clocks.workers() + worker;
    }
}
