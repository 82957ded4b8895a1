package io.sluice.consistency.membership;

/** Receives the decisions of a coordinator, which return to it as events of the cluster. */
public interface EventSink {
    /**
     * Proposes an event. The event is decided once {@link Coordinator#decided} receives it: at once, or once a majority
     * of the coordinators has it; never, if the coordinator is replaced first. Events are decided in the order of the
     * calls.
     *
     * @param event event to propose
     */
    void append(Event event);
}
