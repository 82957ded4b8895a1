package io.sluice.trials.chaos;

/**
 * What a job has come to.
 *
 * @param replicas hash of all replicas; several if they differ
 * @param reference hash that they must have
 */
record Outcome(String replicas, String reference) {
    /** Whether all is as it must be. */
    boolean isSame() {
        return replicas.equals(reference);
    }
}
