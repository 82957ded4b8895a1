package io.sluice.consistency.membership;

/**
 * What becomes of the cluster when a worker dies: falls silent for the liveness time, or reports a fault of its own.
 * The death of a server, and with it of the coordinator, ends the cluster whatever the policy.
 */
public enum DeathPolicy implements Choice {
    /** The cluster ends, and every node says why. */
    FAIL("fail"),

    /**
     * The others go on without it, in a new epoch: what servers took of its pushes stays in the parameters, and nothing
     * more is awaited of it or taken from it.
     */
    SHRINK("shrink");

    private final String word;

    DeathPolicy(String word) {
        this.word = word;
    }

    @Override
    public String word() {
        return word;
    }
}
