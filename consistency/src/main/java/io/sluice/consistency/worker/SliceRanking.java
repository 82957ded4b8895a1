package io.sluice.consistency.worker;

import io.sluice.codecs.spi.Block;
import io.sluice.consistency.policy.Policies;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.ParameterMagnitudes;
import io.sluice.consistency.wire.SliceRanker;
import io.sluice.filter.kernel.Kernels;
import java.util.List;

/**
 * Ranks slices by the cluster's order. An order that compares changes with parameters receives the parameters of the
 * replica.
 *
 * <p>For the trainer's thread. Allocates nothing after construction.
 */
final class SliceRanking {
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
        ParameterMagnitudes[] found = specs.stream()
                .map(spec -> new ParameterMagnitudes(kernels, spec.slices()))
                .toArray(ParameterMagnitudes[]::new);
        return (table, slice, round) -> {
            TableSpec spec = table.spec();
            long offset = spec.sliceStart(slice) * Float.BYTES;
            return found[spec.id()].of(slice, round, table.replica(), offset, spec.sliceLength(slice));
        };
    }

    /** Rank of a block that the filter has written. */
    long rank(Block block, Table table, int slice, long round) {
        return ranker.rank(block, table.spec().id(), slice, round, parameters.of(table, slice, round));
    }

    /** Rank of a slice whose change is at an address, for a given turn. */
    long rank(Table table, int slice, long round, long turn, long change) {
        float weight = ranker.weight(change, table.spec().sliceLength(slice));
        return ranker.rank(table.spec().id(), slice, turn, weight, parameters.of(table, slice, round));
    }

    /** Rank of a block among the blocks that are sent early. */
    long rankEarly(Block block, Table table, int slice, long round) {
        return ranker.rank(block, table.spec().id(), slice, 0, parameters.of(table, slice, round));
    }
}
