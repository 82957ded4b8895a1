package io.sluice.consistency.membership;

/** Where a coordinator puts what it decides, to have it back as an event of the cluster. */
public interface EventSink {
    /**
     * Proposes an event. The event is decided once {@link Coordinator#decided} receives it: at once, or once a majority
     * of the coordinators has it; never, if the coordinator is replaced first. Events are decided in the order of the
     * calls.
     *
     * @param event to propose
     */
    void append(Event event);
}
