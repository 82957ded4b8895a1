package io.sluice.consistency.server;

/** Decides whether a table may begin a round: before it does, it has to be known whose pushes the round takes. */
@FunctionalInterface
interface RoundStart {
    /** Where that never changes. */
    RoundStart AT_ONCE = (table, round) -> true;

    /**
     * Asked once or more for each round, in order.
     *
     * @param table that would begin it; changed to take the pushes of those who take part
     * @param round one behind the one begun last
     * @return whether it may begin
     */
    boolean mayBegin(TableShard table, long round);
}
