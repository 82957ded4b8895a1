package io.sluice.perf.layers;

/**
 * A layer of a model.
 *
 * @param elements number of parameters, biases included
 * @param work     multiply-adds of its forward pass for one sample, which determine its share of the time
 */
record Layer(String name, int elements, double work) {}
