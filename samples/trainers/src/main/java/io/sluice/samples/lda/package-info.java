/**
 * Latent Dirichlet allocation by collapsed Gibbs sampling, with several workers: the trainer on one screen ({@link
 * io.sluice.samples.lda.LdaTrainer}), the same training in a single process ({@link
 * io.sluice.samples.lda.LdaReference}), the sampler itself ({@link io.sluice.samples.lda.TopicSampler}), and the
 * quality of a model ({@link io.sluice.samples.lda.LdaMeasure}).
 */
package io.sluice.samples.lda;
