/** Processes on the hosts of a network lab that run servers and workers, one after another, as they are told. */
package io.sluice.perf.nodes;
