package io.sluice.consistency.membership;

/** Takes the events that a coordinator proposes; once decided, they return to it as events of the cluster. */
public interface EventSink {
    /**
     * Proposes an event. It is decided when {@link Coordinator#decided} receives it: at once, or when a majority of the
     * coordinators has it. It is never decided if the coordinator is replaced first. Events are decided in the order of
     * the calls.
     *
     * @param event event to propose
     */
    void append(Event event);
}
