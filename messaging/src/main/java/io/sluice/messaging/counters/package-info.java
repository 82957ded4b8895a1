/**
 * The counters of links, inboxes, agents and nodes. They are counters of the media driver: shared memory that any
 * process of the host may read while a job runs.
 *
 * <p>{@link io.sluice.messaging.counters.CounterType} lists what is counted; a new counter is one more constant there
 * and one call of {@link io.sluice.messaging.counters.CounterGroup#counter}.
 * {@link io.sluice.messaging.counters.CounterKey} is the layout by which a reader distinguishes Sluice's
 * counters from those of other programs.
 */
package io.sluice.messaging.counters;
