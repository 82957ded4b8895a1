package io.sluice.consistency.membership;

/** Where a coordinator puts what it decides, to have it back as an event of the cluster. */
public interface EventSink {
    /**
     * Proposes an event. It has happened once it comes back, through {@link Coordinator#decided}: at once, or once a
     * majority of the coordinators has it; never, if the coordinator is replaced first. Events come back in the order
     * of the calls.
     *
     * @param event to happen
     */
    void append(Event event);
}
