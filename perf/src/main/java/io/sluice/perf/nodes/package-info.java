/** Processes that run servers and workers of experiments, one after another, by orders line by line. */
package io.sluice.perf.nodes;
