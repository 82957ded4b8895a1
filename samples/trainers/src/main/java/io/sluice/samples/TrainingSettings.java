package io.sluice.samples;

/** The settings that all trainers have in common. */
public interface TrainingSettings {
    /** Total number of iterations. */
    int clocks();

    /** Seed of all random choices. */
    long seed();
}
