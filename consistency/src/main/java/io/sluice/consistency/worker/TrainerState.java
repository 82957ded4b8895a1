package io.sluice.consistency.worker;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The state of a trainer besides the model and the clock; see {@link Worker#trainerState}.
 *
 * @param save    returns the state, at the end of a clock
 * @param restore receives it before the first iteration
 */
record TrainerState(Supplier<byte[]> save, Consumer<byte[]> restore) {
    /** The state of a trainer that needs only the clock. */
    static final TrainerState NONE = new TrainerState(() -> new byte[0], state -> {});
}
