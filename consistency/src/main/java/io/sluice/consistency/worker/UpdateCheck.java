package io.sluice.consistency.worker;

import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.kernel.Kernels;

/** Checks an update before any part of it is pushed. */
@FunctionalInterface
interface UpdateCheck {
    /** Accepts all updates: the filter checks them. */
    UpdateCheck NONE = update -> {};

    /**
     * Refuses an update.
     *
     * @throws IllegalArgumentException if the update is invalid
     */
    void require(Update update);

    /** Refuses updates of a table that hold NaN or infinity. */
    static UpdateCheck finite(TableSpec spec, Kernels kernels, TrainerCalls calls) {
        return update -> {
            if (Float.isFinite(update.maxAbs(kernels, spec.elements()))) {
                return;
            }
            for (long i = 0; i < spec.elements(); i++) {
                float value = update.get(i);
                if (!Float.isFinite(value)) {
                    throw calls.mistake(new IllegalArgumentException("the update of table " + spec.name() + " is "
                            + value + " at row " + i / spec.columns() + ", column " + i % spec.columns()
                            + ", expected finite numbers"));
                }
            }
        };
    }
}
