package io.sluice.consistency.membership;

/**
 * The state of a cluster and its last events, which are retained for nodes that have yet to receive them. A node that
 * is further behind has been silent for longer than the liveness time allows.
 *
 * <p>For one thread.
 */
public final class EventLog {
    /** Number of retained events. */
    static final int KEPT = 1_024;

    private final Event[] recent = new Event[KEPT];
    private ClusterState state = ClusterState.EMPTY;

    /** Creates the log of a cluster that no node has joined yet. */
    public EventLog() {}

    /** Starts with the state of another log and its retained events. */
    EventLog(ClusterState state, Event[] before) {
        this.state = state;
        for (int i = 0; i < before.length; i++) {
            put(state.number() - before.length + 1 + i, before[i]);
        }
    }

    /**
     * Applies an event.
     *
     * @param event the next event
     * @return whether the event has changed the state; otherwise it is not in the log
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
     * The state after all events.
     *
     * @return the current state
     */
    public ClusterState state() {
        return state;
    }

    /**
     * Looks up an event.
     *
     * @param number number of the event
     * @return the event; null if it is no longer retained, or has not happened
     */
    public Event event(long number) {
        boolean kept = number > Math.max(0, state.number() - KEPT) && number <= state.number();
        return kept ? recent[(int) (number % KEPT)] : null;
    }
}
