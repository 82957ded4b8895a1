package io.sluice.cli.advise;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * A change of a job, and what it gains.
 *
 * @param change options, or what the trainer does
 * @param sameResult whether the job computes the same parameters as before
 * @param seconds predicted seconds of a step
 * @param gain part of a step's time that the change saves; negative if it costs time
 * @param mostGain part that no choice of this kind exceeds
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Lever(String change, boolean sameResult, double seconds, double gain, double mostGain) {}
