package io.sluice.consistency.membership;

/** Receives the decisions of a coordinator, which return to it as events of the cluster. */
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
