/**
 * Matrix factorisation, trained by several workers: the trainer on one screen ({@link io.sluice.samples.mf.MfTrainer}),
 * the same arithmetic in a single process ({@link io.sluice.samples.mf.MfReference}), and the arithmetic itself
 * ({@link io.sluice.samples.mf.MfModel}).
 */
package io.sluice.samples.mf;
