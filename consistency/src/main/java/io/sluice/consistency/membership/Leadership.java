package io.sluice.consistency.membership;

/**
 * How a coordinator leads: as the only one, or for one term of office of several, each of which has the record.
 *
 * @param events events that are decided so far
 * @param sink   sink of several, where events become safe; null for the only coordinator, which decides by itself
 * @param term   higher than the terms of all leaderships before; negative for the only coordinator
 * @param member member which of the coordinators this is, from 0
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
