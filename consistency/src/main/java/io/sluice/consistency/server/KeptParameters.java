package io.sluice.consistency.server;

import io.sluice.codecs.spi.Block;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.ParameterMagnitudes;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.NotFiniteException;

/**
 * The parameters of the slices that a server owns of one table, for workers that join while the job runs, and for an
 * order that compares changes with them. They are the sum of all broadcasts, added block by block as each worker adds
 * it, so equal to every replica bit for bit. Used by the server's thread.
 */
final class KeptParameters implements UpdateBroadcast.BlockKeeper {
    private final ParameterMagnitudes magnitudes;
    private final SliceStore parameters;
    private final BlockAccumulator accumulator;

    /**
     * Creates parameters that are all zero.
     *
     * @param spec        the table
     * @param owned       numbers of the slices
     * @param accumulator adds blocks
     * @param kernels     kernels to run
     */
    KeptParameters(TableSpec spec, int[] owned, BlockAccumulator accumulator, Kernels kernels) {
        this.magnitudes = new ParameterMagnitudes(kernels, owned.length);
        this.parameters = new SliceStore(spec, owned);
        this.accumulator = accumulator;
    }

    @Override
    public void add(int position, long version, Block block) {
        try {
            accumulator.restore(block, parameters.segment(), parameters.offset(position));
        } catch (NotFiniteException e) {
            throw notFinite(parameters, position, version, e);
        }
    }

    @Override
    public float magnitude(int position, long round) {
        return magnitudes.of(
                position, round, parameters.segment(), parameters.offset(position), parameters.length(position));
    }

    /** Names the parameter that is NaN or infinite from a version on. */
    static ClusterException notFinite(SliceStore parameters, int position, long version, NotFiniteException e) {
        return new ClusterException(
                Failure.NOT_FINITE,
                "the sum " + e.added() + " for " + parameters.at(position, e.element()) + " of version " + version
                        + " makes the parameter " + e.sum() + ", expected finite numbers");
    }

    /** The store that holds the parameters. */
    SliceStore store() {
        return parameters;
    }
}
