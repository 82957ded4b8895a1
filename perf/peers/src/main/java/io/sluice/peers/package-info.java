/** Other systems that broadcast, which {@code sluice perf} measures beside Sluice: Open MPI, ZeroMQ and gRPC. */
package io.sluice.peers;
