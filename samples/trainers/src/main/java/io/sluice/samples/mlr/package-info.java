/** Softmax regression on dense or sparse examples. */
package io.sluice.samples.mlr;
