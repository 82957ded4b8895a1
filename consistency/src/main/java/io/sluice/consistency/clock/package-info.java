/**
 * Clocks and the rules over them: when a worker may compute ({@link io.sluice.consistency.clock.ConsistencyRule}),
 * when a server may finalise, and the account that every link keeps of each clock
 * ({@link io.sluice.consistency.clock.ClockLedger}).
 *
 * <p>Round 0 is the start of the replicas; iteration t of a worker is round t. A worker's <em>clock</em> is the number
 * of iterations it has completed, a <em>version</em> the number of clocks that a server has finalised and broadcast.
 */
package io.sluice.consistency.clock;
