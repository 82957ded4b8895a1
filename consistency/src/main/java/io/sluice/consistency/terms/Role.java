package io.sluice.consistency.terms;

/** What a node does. */
public enum Role implements Choice {
    /** Sums the pushes of its slices and broadcasts. */
    SERVER("server"),

    /** Trains. */
    WORKER("worker");

    private final String word;

    Role(String word) {
        this.word = word;
    }

    @Override
    public String word() {
        return word;
    }
}
