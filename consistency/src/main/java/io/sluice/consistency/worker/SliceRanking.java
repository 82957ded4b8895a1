package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.codecs.api.Block;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.kernel.Kernels;
import java.util.List;

/**
 * Ranks slices by the cluster's order. An order that compares changes with parameters needs the greatest magnitude of
 * each slice of the replica. It is recomputed every 16 rounds, for a sixteenth of the slices in each round, because it
 * changes slowly and costs a read of the slice.
 *
 * <p>For the trainer's thread. Allocates nothing after construction.
 */
final class SliceRanking {
    private static final int EVERY = 16;

    private final SliceRanker ranker;
    private final Magnitudes parameters;

    @FunctionalInterface
    private interface Magnitudes {
        float of(Table table, int slice, long round);
    }

    SliceRanking(ClusterSettings settings, List<TableSpec> specs, Kernels kernels) {
        ranker = new SliceRanker(Policies.newOrder(settings), kernels, settings.sliceElements());
        parameters = ranker.compares() ? magnitudes(specs, kernels) : (table, slice, round) -> 0;
    }

    private static Magnitudes magnitudes(List<TableSpec> specs, Kernels kernels) {
        float[][] found = new float[specs.size()][];
        boolean[][] known = new boolean[specs.size()][];
        for (TableSpec spec : specs) {
            found[spec.id()] = new float[spec.slices()];
            known[spec.id()] = new boolean[spec.slices()];
        }
        return (table, slice, round) -> {
            TableSpec spec = table.spec();
            float[] ofTable = found[spec.id()];
            if (!known[spec.id()][slice] || (round + slice) % EVERY == 0) {
                known[spec.id()][slice] = true;
                int elements = spec.sliceLength(slice);
                long replica =
                        OffHeap.address(table.replica(), spec.sliceStart(slice) * Float.BYTES, elements, "replica");
                ofTable[slice] = kernels.values().maxAbs(replica, elements);
            }
            return ofTable[slice];
        };
    }

    /** Rank of a block that the filter has written. */
    long rank(Block block, Table table, int slice, long round) {
        return ranker.rank(block, table.spec().id(), slice, round, parameters.of(table, slice, round));
    }

    /** Rank of a slice with a known greatest change, for a given turn. */
    long rank(Table table, int slice, long round, long turn, float change) {
        return ranker.rank(table.spec().id(), slice, turn, change, parameters.of(table, slice, round));
    }

    /** Rank of a block among the blocks that are sent early. */
    long rankEarly(Block block, Table table, int slice) {
        return ranker.rank(block, table.spec().id(), slice, 0, 0);
    }
}
