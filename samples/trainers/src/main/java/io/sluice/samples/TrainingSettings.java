package io.sluice.samples;

/** How to train, as far as all trainers have it in common. */
public interface TrainingSettings {
    /** Iterations in all. */
    int clocks();

    /** Seed of all that is random. */
    long seed();
}
