package io.sluice.perf.filter;

import io.sluice.filter.Kernels;
import io.sluice.filter.ScalarKernels;
import io.sluice.filter.VectorKernels;

/** The kernels to compare. */
public enum KernelChoice {
    /** On the Vector API, in the widest registers the processor prefers. */
    VECTOR,

    /** In plain Java, without branches. */
    SCALAR;

    Kernels create() {
        return switch (this) {
            case VECTOR -> new VectorKernels();
            case SCALAR -> new ScalarKernels();
        };
    }
}
