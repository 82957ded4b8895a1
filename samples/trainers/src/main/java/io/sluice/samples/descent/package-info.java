/** Stochastic gradient descent in mini-batches: the common part of logistic and softmax regression. */
package io.sluice.samples.descent;
