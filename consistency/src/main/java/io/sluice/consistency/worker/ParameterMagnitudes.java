package io.sluice.consistency.worker;

import io.sluice.codecs.OffHeap;
import io.sluice.consistency.placement.TableSpec;
import io.sluice.filter.kernel.Kernels;
import java.util.List;

/**
 * The greatest magnitude of each slice of the replicas, for orders that compare changes with what they change. Looked
 * up afresh once in 16 rounds, a sixteenth of the slices each round: it changes slowly, and a look reads the slice.
 *
 * <p>For the trainer's thread. Allocates nothing after construction.
 */
final class ParameterMagnitudes {
    private static final int EVERY = 16;

    private final Kernels kernels;
    private final float[][] magnitudes;
    private final boolean[][] known;

    ParameterMagnitudes(List<TableSpec> specs, Kernels kernels) {
        this.kernels = kernels;
        this.magnitudes = new float[specs.size()][];
        this.known = new boolean[specs.size()][];
        for (TableSpec spec : specs) {
            magnitudes[spec.id()] = new float[spec.slices()];
            known[spec.id()] = new boolean[spec.slices()];
        }
    }

    /** As of this round or up to 15 earlier. */
    float of(Table table, int slice, long round) {
        TableSpec spec = table.spec();
        float[] found = magnitudes[spec.id()];
        if (!known[spec.id()][slice] || (round + slice) % EVERY == 0) {
            known[spec.id()][slice] = true;
            long at = spec.sliceStart(slice) * Float.BYTES;
            int elements = spec.sliceLength(slice);
            found[slice] = kernels.values().maxAbs(OffHeap.address(table.replica(), at, elements, "replica"), elements);
        }
        return found[slice];
    }
}
