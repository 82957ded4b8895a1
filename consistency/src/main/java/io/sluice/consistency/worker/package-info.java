/**
 * The classes that a trainer embeds: {@link io.sluice.consistency.worker.Worker} and its
 * {@link io.sluice.consistency.worker.Table}s.
 *
 * <p>The trainer's own thread does all the work on data: {@code update} filters, frames and sends; {@code sync} polls
 * and applies broadcasts straight from the log into the replica. So parameters never change while the trainer computes
 * on them, and nothing is copied between threads. One more thread, of
 * {@link io.sluice.consistency.membership.Membership}, keeps heartbeats going while the trainer computes.
 */
package io.sluice.consistency.worker;
