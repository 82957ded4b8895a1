/**
 * Processes that run servers and workers of experiments, one after another, on commands that they read line by line.
 */
package io.sluice.perf.nodes;
