package io.sluice.consistency.terms;

/**
 * What a trainer needs, beside the model, to continue from a clock: the position in its data, the state of a random
 * generator. A trainer that derives these from the clock does not need it.
 */
public interface TrainerState {
    /** A trainer that needs nothing but the clock. */
    TrainerState NONE = new TrainerState() {
        @Override
        public byte[] save() {
            return new byte[0];
        }

        @Override
        public void restore(byte[] state) {}
    };

    /**
     * Writes the state down. Called by the trainer's own thread at the end of a clock.
     *
     * @return all that {@link #restore} needs; not kept for longer than it takes to copy it
     */
    byte[] save();

    /**
     * Takes the state over, before the first iteration. Called by the trainer's own thread.
     *
     * @param state what {@link #save} has returned at the clock at which the job begins again
     */
    void restore(byte[] state);
}
