package io.sluice.consistency.membership;

/** What travels between workers and servers. */
public enum Protocol implements Choice {
    /** Workers push filtered updates, servers broadcast filtered sums, replicas apply them (Parameter Flow, eq. 4). */
    UPDATE("update"),

    /** Workers push dense gradients and pull dense parameters: the classic parameter server, kept as the baseline. */
    PUSH_PULL("push-pull");

    private final String word;

    Protocol(String word) {
        this.word = word;
    }

    @Override
    public String word() {
        return word;
    }
}
