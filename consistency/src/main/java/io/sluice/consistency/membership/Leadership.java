package io.sluice.consistency.membership;

import io.sluice.messaging.Patience;

/**
 * The leadership of a coordinator: of the only one, or of one of several for one term of office.
 *
 * @param events events decided so far
 * @param sink sink that makes events safe at several coordinators; null for a single coordinator, which decides alone
 * @param term term of office, higher than those of all earlier leaderships; negative for a single coordinator
 * @param member index of this coordinator, from 0
 * @param completeNs time that its process waits for all nodes to join, in nanoseconds, or {@link Patience#UNLIMITED}
 */
public record Leadership(EventLog events, EventSink sink, long term, int member, long completeNs) {
    /** The leadership of a coordinator whose process waits for all nodes without a limit. */
    public Leadership(EventLog events, EventSink sink, long term, int member) {
        this(events, sink, term, member, Patience.UNLIMITED);
    }

    /** The leadership of a single coordinator at the start of the job, for as long as its server waits. */
    public static Leadership alone(long completeNs) {
        return new Leadership(new EventLog(), null, -1, 0, completeNs);
    }

    /** Whether others can take over. */
    boolean isOfSeveral() {
        return term >= 0;
    }
}
