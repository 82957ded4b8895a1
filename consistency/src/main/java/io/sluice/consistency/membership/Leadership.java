package io.sluice.consistency.membership;

/**
 * The leadership of a coordinator: of the only one, or of one of several for one term of office.
 *
 * @param events events decided so far
 * @param sink   sink that makes events safe at several coordinators; null for a single coordinator, which decides alone
 * @param term   term of office, higher than those of all leaderships before; negative for a single coordinator
 * @param member index of this coordinator, from 0
 */
public record Leadership(EventLog events, EventSink sink, long term, int member) {
    /** The leadership of a single coordinator at the start of the job. */
    public static Leadership alone() {
        return new Leadership(new EventLog(), null, -1, 0);
    }

    /** Whether others can take over. */
    boolean isOfSeveral() {
        return term >= 0;
    }
}
