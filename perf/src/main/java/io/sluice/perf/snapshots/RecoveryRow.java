package io.sluice.perf.snapshots;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * How long a server that was killed took to serve again.
 *
 * @param way              {@code recovery}
 * @param params           that the server has
 * @param changed          share of them that training changes
 * @param interval         clocks between two snapshots
 * @param killedAt         version that the worker had when the server was gone
 * @param seconds          from the start of the new process until the worker had the next version of all parameters
 * @param secondsSinceKill the same, from the kill
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record RecoveryRow(
        String way, int params, double changed, int interval, long killedAt, double seconds, double secondsSinceKill) {}
