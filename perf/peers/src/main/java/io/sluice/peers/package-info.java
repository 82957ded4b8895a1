/** Other systems that broadcast, which {@code sluice perf} measures alongside Sluice: Open MPI, ZeroMQ and gRPC. */
package io.sluice.peers;
