package io.sluice.consistency.membership;

/** Where a coordinator puts its decisions down, to have them back as facts. */
public interface DecisionLog {
    /**
     * Puts a decision down. It is none before it comes back, through {@link Coordinator#decided}: at once, or once it
     * is safe; never, if the coordinator is replaced first. Those that come back do so in the order of this.
     *
     * @param decision to put down
     */
    void append(Decision decision);
}
