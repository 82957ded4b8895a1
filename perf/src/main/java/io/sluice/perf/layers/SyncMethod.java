package io.sluice.perf.layers;

import io.sluice.consistency.terms.TableSpec;
import java.util.List;
import java.util.stream.Stream;

/**
 * A method to synchronise a model.
 *
 * @param order order of waiting slices: {@value #FIFO} or {@value #LAYER}
 */
record SyncMethod(int sliceElements, String order) {
    /** The order in which gradients are computed: from the last layer to the first. */
    static final String FIFO = "fifo";

    /** The order in which the next forward pass needs the slices. */
    static final String LAYER = "layer";

    /** The baseline of P3: slices as long as frames allow, in the order of the gradients. */
    static final SyncMethod BASELINE = new SyncMethod(TableSpec.MAX_SLICE_ELEMENTS, FIFO);

    /**
     * The compared methods: the baseline, slices of the first size in the same order, and slices of all sizes by layer.
     */
    static List<SyncMethod> compared(List<Integer> slices) {
        return Stream.concat(Stream.of(BASELINE, new SyncMethod(slices.getFirst(), FIFO)), byLayer(slices).stream())
                .distinct()
                .toList();
    }

    /** Slices of several sizes, by layer. */
    static List<SyncMethod> byLayer(List<Integer> slices) {
        return slices.stream()
                .distinct()
                .map(slice -> new SyncMethod(slice, LAYER))
                .toList();
    }

    boolean byLayer() {
        return order.equals(LAYER);
    }

    /** A description for tables. */
    String words() {
        return (sliceElements == BASELINE.sliceElements ? "whole layers" : "slices") + ", " + order;
    }
}
