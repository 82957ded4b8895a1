package io.sluice.cli.advise;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;

/**
 * A change of a job, and what it saves.
 *
 * @param change options, or what the trainer does
 * @param result what the change does to the result
 * @param seconds predicted seconds of a step
 * @param gain part of a step's time that the change saves; negative if it costs time
 * @param mostGain maximum gain over all changes of this kind
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record Lever(String change, Result result, double seconds, double gain, double mostGain) {
    /** What a change does to the result, the smallest effect first. */
    enum Result {
        /** The same parameters, but for the order in which sums are rounded. */
        @JsonProperty("same")
        SAME("the same", ", with the same result"),

        /** The same training with updates that arrive rounded or late. */
        @JsonProperty("approximate")
        APPROXIMATE("approximate", "; updates arrive rounded or late, so compare the quality"),

        /** Another way to train. */
        @JsonProperty("other")
        OTHER("other training", "; that is another way to train, so compare the quality");

        private final String words;
        private final String consequence;

        Result(String words, String consequence) {
            this.words = words;
            this.consequence = consequence;
        }

        String words() {
            return words;
        }

        String consequence() {
            return consequence;
        }
    }
}
