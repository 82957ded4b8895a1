/**
 * What frames, blocks and compressors cost, one core, in buffers that stay in the cache as they do between two agents:
 * the command {@code sluice perf codec}, and JMH's benchmarks.
 */
package io.sluice.perf.codecs;
