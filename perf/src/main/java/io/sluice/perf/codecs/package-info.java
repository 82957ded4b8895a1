/**
 * What blocks, frames and compressors cost, one core, in buffers that stay in the cache as they do between two agents:
 * the command {@code sluice perf codec}.
 */
package io.sluice.perf.codecs;
