/** What frames and compressors cost, one core, in buffers that stay in the cache as they do between two agents. */
package io.sluice.perf.codecs;
