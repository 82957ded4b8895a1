package io.sluice.consistency.membership;

import java.util.concurrent.TimeUnit;

/**
 * When several coordinators are needed no more: once a job is over or has failed, and its nodes have had time to hear
 * of it. Used by the coordinator's thread.
 */
final class Closing {
    /** For those who are told of a failure. */
    private static final long NEWS_NS = TimeUnit.SECONDS.toNanos(2);

    /** For servers that save their results, or whatever else they do at the end. */
    private static final long LEAVING_NS = TimeUnit.SECONDS.toNanos(60);

    private final EventLog events;
    private final EventSink sink;
    private long sinceNs;
    private boolean seen;
    private boolean decided;

    Closing(EventLog events, EventSink sink) {
        this.events = events;
        this.sink = sink;
    }

    /**
     * Decides it when it is time.
     *
     * @param failed whether the job has failed, or cannot begin
     * @param nowNs  the time
     */
    void work(boolean failed, long nowNs) {
        if (decided || !failed && !events.state().isOver()) {
            return;
        }
        if (!seen) {
            seen = true;
            sinceNs = nowNs;
        }
        boolean here = events.state().members().stream()
                .anyMatch(member -> member.presence().isPresent());
        long patienceNs = failed || !here ? NEWS_NS : LEAVING_NS;
        if (nowNs - sinceNs > patienceNs) {
            decided = true;
            sink.append(new Event.Closed());
        }
    }
}
