package io.sluice.consistency.worker;

import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
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
     * @throws ClusterException with {@link Failure#NOT_FINITE} if it holds NaN or infinity
     */
    void require(Update update);

    /** Creates a check that refuses updates of a table that hold NaN or infinity. */
    static UpdateCheck finite(TableSpec spec, Kernels kernels, TrainerCalls calls) {
        return update -> {
            if (Float.isFinite(update.maxAbs(kernels, spec.elements()))) {
                return;
            }
            for (long i = 0; i < spec.elements(); i++) {
                float value = update.get(i);
                if (!Float.isFinite(value)) {
                    throw notFinite(spec, calls, i, value);
                }
            }
        };
    }

    /** Creates the exception for an update that is refused because of one value; the trainer may update again. */
    static ClusterException notFinite(TableSpec spec, TrainerCalls calls, long element, float value) {
        return calls.mistake(new ClusterException(
                Failure.NOT_FINITE,
                "the update of table " + spec.name() + " in clock " + (calls.clock() + 1) + " is " + value + " at row "
                        + element / spec.columns() + ", column " + element % spec.columns()
                        + ", expected finite numbers"));
    }
}
