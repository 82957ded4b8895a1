package io.sluice.perf.layers;

import java.io.Serializable;

/**
 * A layer of a model.
 *
 * @param name     name of the layer
 * @param elements number of parameters, biases included
 * @param work     multiply-adds of its forward pass for one sample, which determine its share of the time
 */
record Layer(String name, int elements, double work) implements Serializable {}
