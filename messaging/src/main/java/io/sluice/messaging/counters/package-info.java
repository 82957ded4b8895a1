/**
 * What links, inboxes, agents and nodes count, in the counters of the media driver: shared memory that any process of
 * the host may read while a job runs.
 *
 * <p>{@link io.sluice.messaging.counters.CounterType} lists what is counted; a new counter is one more constant there
 * and one call of {@link io.sluice.messaging.counters.CounterGroup#counter}.
 * {@link io.sluice.messaging.counters.CounterKey} is the layout by which a reader knows our counters from those of
 * other programs.
 */
package io.sluice.messaging.counters;
