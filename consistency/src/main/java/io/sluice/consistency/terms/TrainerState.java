package io.sluice.consistency.terms;

/**
 * The state that a trainer needs, in addition to the model, to continue from a clock: the position in its data, the
 * state of a random generator. A trainer that derives these from the clock does not need it.
 */
public interface TrainerState {
    /** The state of a trainer that needs only the clock. */
    TrainerState NONE = new TrainerState() {
        @Override
        public byte[] save() {
            return new byte[0];
        }

        @Override
        public void restore(byte[] state) {}
    };

    /**
     * Saves the state. Called by the trainer's own thread at the end of a clock.
     *
     * @return the state for {@link #restore}, which is copied at once
     */
    byte[] save();

    /**
     * Restores the state before the first iteration. Called by the trainer's own thread.
     *
     * @param state state that {@link #save} returned at the clock at which the job begins again
     */
    void restore(byte[] state);
}
