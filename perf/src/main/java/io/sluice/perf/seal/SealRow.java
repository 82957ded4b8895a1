package io.sluice.perf.seal;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * One figure; names in JSON are in snake case. What does not apply is null.
 *
 * @param what       seal or open; or round trip, with open or with sealed frames
 * @param frameBytes length of the open frame
 * @param frames     measured in all
 * @param gbPerSecond of open frames, one core
 * @param nsPerFrame median over the turns
 * @param allocatedBytes for each frame
 * @param p50Ns      half of the round trips took no longer
 * @param p99Ns      99 of 100 took no longer
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record SealRow(
        String what,
        int frameBytes,
        long frames,
        Double gbPerSecond,
        Double nsPerFrame,
        Double allocatedBytes,
        Long p50Ns,
        Long p99Ns) {}
