/** Softmax regression on images. */
package io.sluice.samples.mlr;
