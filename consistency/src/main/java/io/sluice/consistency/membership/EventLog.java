package io.sluice.consistency.membership;

/**
 * The state of a cluster and the events that led to it last, which are kept for nodes that have yet to hear them. A
 * node that is further behind has been silent for longer than any node may be.
 *
 * <p>For one thread.
 */
public final class EventLog {
    /** Events that are kept. */
    static final int KEPT = 1_024;

    private final Event[] recent = new Event[KEPT];
    private ClusterState state = ClusterState.EMPTY;

    /** Before any node has joined. */
    public EventLog() {}

    /** With a state that others have come to, and what is kept of the events before it. */
    EventLog(ClusterState state, Event[] before) {
        this.state = state;
        for (int i = 0; i < before.length; i++) {
            put(state.number() - before.length + 1 + i, before[i]);
        }
    }

    /**
     * Takes in what has happened.
     *
     * @param event in its turn
     * @return whether it had an effect
     */
    public boolean apply(Event event) {
        ClusterState next = state.apply(event);
        if (next == state) {
            return false;
        }
        state = next;
        put(next.number(), event);
        return true;
    }

    private void put(long number, Event event) {
        recent[(int) (number % KEPT)] = event;
    }

    /**
     * The state behind all events so far.
     *
     * @return the state now
     */
    public ClusterState state() {
        return state;
    }

    /**
     * An event.
     *
     * @param number of the event
     * @return the event; null if it is not kept any more, or has not happened
     */
    public Event event(long number) {
        boolean kept = number > Math.max(0, state.number() - KEPT) && number <= state.number();
        return kept ? recent[(int) (number % KEPT)] : null;
    }
}
