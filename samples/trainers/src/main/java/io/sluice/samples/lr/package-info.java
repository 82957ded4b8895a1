/**
 * Sparse logistic regression, trained by several workers: the trainer as a user of the library would write it
 * ({@link io.sluice.samples.lr.LrTrainer}), the same arithmetic in a single process
 * ({@link io.sluice.samples.lr.LrReference}), and the arithmetic itself ({@link io.sluice.samples.lr.LrModel}).
 */
package io.sluice.samples.lr;
