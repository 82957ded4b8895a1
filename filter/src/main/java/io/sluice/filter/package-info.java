/**
 * Decides what part of an update is worth sending now, and keeps the rest.
 *
 * <p>A filter adds each update to the residual of what was not sent before, sends the elements above a threshold, and
 * puts the others back: nothing is lost, and what is withheld is bounded (section 3.3 of the Parameter Flow paper).
 * {@link io.sluice.filter.SliceFilter} is that mechanism; an {@link io.sluice.filter.spi.UpdateFilter} is what uses it
 * with a policy, named in configuration ({@link io.sluice.filter.policy}), for one table: the threshold may follow a
 * schedule, a wanted density, a byte budget or the network ({@link io.sluice.filter.threshold},
 * {@link io.sluice.filter.feedback}). {@link io.sluice.filter.BlockAccumulator} is the inverse at the receiver.
 *
 * <p>The loops over elements are {@link io.sluice.filter.kernel.Kernels}, written twice: on the Vector API and as plain
 * Java.
 *
 * <p>Nothing here knows of links or transports, and nothing here allocates per block.
 */
package io.sluice.filter;
