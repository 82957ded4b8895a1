package io.sluice.trials.chaos;

/**
 * The replicas of a job.
 *
 * @param replicas hash of all replicas; several if they differ
 * @param reference hash that they must have
 */
record Outcome(String replicas, String reference) {
    /** Whether all replicas have the expected hash. */
    boolean isSame() {
        return replicas.equals(reference);
    }
}
