/** Stochastic gradient descent in mini-batches: what logistic and softmax regression share. */
package io.sluice.samples.descent;
