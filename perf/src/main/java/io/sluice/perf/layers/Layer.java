package io.sluice.perf.layers;

import java.io.Serializable;

/**
 * A layer of a model.
 *
 * @param name     what it is called
 * @param elements its parameters, biases included
 * @param work     multiply-adds of its forward pass for one sample, which say what share of the time it takes
 */
record Layer(String name, int elements, double work) implements Serializable {}
