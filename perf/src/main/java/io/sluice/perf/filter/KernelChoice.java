package io.sluice.perf.filter;

import io.sluice.filter.kernel.Kernels;

/** The kernels to compare. */
enum KernelChoice {
    /** On the Vector API, in the widest registers the processor prefers. */
    VECTOR,

    /** In plain Java, without branches. */
    SCALAR;

    Kernels create() {
        return switch (this) {
            case VECTOR -> Kernels.vector();
            case SCALAR -> Kernels.scalar();
        };
    }
}
