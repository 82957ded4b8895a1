package io.sluice.consistency.membership;

/**
 * Under what a coordinator coordinates: alone, or for as long as it leads several, of which each has the record.
 *
 * @param events that have happened so far
 * @param sink   of several, where events become safe; null if there is but one, which decides by itself
 * @param term   higher than that of all leaderships before; negative if there is but one
 * @param member which of the coordinators this is, from 0
 */
public record Leadership(EventLog events, EventSink sink, long term, int member) {
    /** Of the only coordinator, at the beginning. */
    public static Leadership alone() {
        return new Leadership(new EventLog(), null, -1, 0);
    }

    /** Whether others can take over. */
    boolean isOfSeveral() {
        return term >= 0;
    }
}
