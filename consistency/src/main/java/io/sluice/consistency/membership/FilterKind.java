package io.sluice.consistency.membership;

import io.sluice.filter.ConstantThreshold;
import io.sluice.filter.InverseSquareRoot;
import io.sluice.filter.Kernels;
import io.sluice.filter.UpdateFilter;
import io.sluice.filter.ValueBoundedFilter;

/** Which updates cross the wire. */
public enum FilterKind implements Choice {
    /** All that are not zero: the exact sum, and the yardstick for what a filter saves. */
    NONE("none"),

    /** The dynamic value-bounded filter: those above delta / sqrt(t), the rest stays as a residual (eq. 10 and 11). */
    DVF("dvf");

    private final String word;

    FilterKind(String word) {
        this.word = word;
    }

    @Override
    public String word() {
        return word;
    }

    /**
     * Makes the filter.
     *
     * @param delta   initial threshold; not used by {@link #NONE}
     * @param kernels the loops to run on
     * @return a filter for one thread
     */
    public UpdateFilter create(double delta, Kernels kernels) {
        return switch (this) {
            case NONE -> new ValueBoundedFilter(new ConstantThreshold(0), kernels);
            case DVF -> new ValueBoundedFilter(new InverseSquareRoot(delta), kernels);
        };
    }
}
