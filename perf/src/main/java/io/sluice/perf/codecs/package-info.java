/**
 * The cost of blocks, frames and compressors on one core, in buffers that stay in the cache: the command
 * {@code sluice perf codec}.
 */
package io.sluice.perf.codecs;
