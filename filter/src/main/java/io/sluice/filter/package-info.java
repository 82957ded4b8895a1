/**
 * Decides what part of an update is worth sending now, and keeps the rest.
 *
 * <p>The dynamic value-bounded filter (DVF, section 3.3 of the Parameter Flow paper) adds each update to the residual
 * of what was not sent before, sends the elements above a threshold that falls with the clock, and puts the others
 * back: nothing is lost, and what is withheld is bounded. {@link io.sluice.filter.ValueBoundedFilter} composes the
 * result as a block of the wire format; {@link io.sluice.filter.BlockAccumulator} is its inverse at the receiver.
 *
 * <p>The loops over elements are {@link io.sluice.filter.Kernels}, written twice: on the Vector API and as plain Java.
 *
 * <p>Nothing here knows of links or transports, and nothing here allocates per block.
 */
package io.sluice.filter;
