package io.sluice.cli;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/** The result of the single-process run, for {@code --json}; names are as in {@link LrReport}. */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record ReferenceReport(
        String workload,
        String dataset,
        int workers,
        int clocks,
        double finalLoss,
        double testAccuracy,
        double seconds,
        String replicaHash) {}
