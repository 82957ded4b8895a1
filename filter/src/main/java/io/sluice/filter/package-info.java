/**
 * Decides which part of an update is sent now, and keeps the remainder.
 *
 * <p>A filter adds each update to the residual, sends the elements above a threshold, and keeps the other elements in
 * the residual: nothing is lost, and the residual is bounded (section 3.3 of the Parameter Flow paper). {@link
 * io.sluice.filter.SliceFilter} is that mechanism. An {@link io.sluice.filter.spi.UpdateFilter} uses it for one table,
 * with a policy that the configuration names ({@link io.sluice.filter.policy}): the threshold may follow a schedule, a
 * wanted density, a byte budget or the network ({@link io.sluice.filter.threshold}, {@link io.sluice.filter.feedback}).
 * {@link io.sluice.filter.BlockAccumulator} is the inverse at the receiver.
 *
 * <p>The loops over elements are {@link io.sluice.filter.kernel.Kernels}, written twice: on the Vector API and as plain
 * Java.
 *
 * <p>Nothing here depends on links or transports, and nothing here allocates per block.
 */
package io.sluice.filter;
