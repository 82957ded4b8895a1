package io.sluice.cli.advise;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.codecs.Frame;
import io.sluice.codecs.api.BlockFormat;
import io.sluice.codecs.api.ValueType;
import io.sluice.consistency.clock.ConsistencyRules;

/**
 * What may be changed about a job.
 *
 * @param kept share of the elements that the filters let pass
 * @param values type of the values
 * @param slice elements of a slice
 * @param layers equal parts in which the update is pushed, each when it is computed; 1 for an update as a whole
 * @param byLayer whether slices of the first layers overtake others
 * @param consistency consistency rule
 * @param tree planner of the broadcast trees
 * @param steps steps of computing between two clocks
 * @param pull whether workers pull what they have pushed, instead of servers broadcasting slice by slice
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
public record Setup(
        double kept,
        ValueType values,
        int slice,
        int layers,
        boolean byLayer,
        String consistency,
        String tree,
        int steps,
        boolean pull) {
    private static final int AERON_HEADER = 32;
    private static final long LATE_CLOCK = 1_000_000;

    Setup withKept(double share) {
        return new Setup(share, values, slice, layers, byLayer, consistency, tree, steps, pull);
    }

    Setup withValues(ValueType type) {
        return new Setup(kept, type, slice, layers, byLayer, consistency, tree, steps, pull);
    }

    Setup withOrder(int elements, int parts) {
        return new Setup(kept, values, elements, parts, true, consistency, tree, steps, pull);
    }

    Setup withConsistency(String rule) {
        return new Setup(kept, values, slice, layers, byLayer, rule, tree, steps, pull);
    }

    Setup withTree(String planner) {
        return new Setup(kept, values, slice, layers, byLayer, consistency, planner, steps, pull);
    }

    Setup withSteps(int count) {
        return new Setup(kept, values, slice, layers, byLayer, consistency, tree, count, pull);
    }

    Setup withBroadcasts() {
        return new Setup(kept, values, slice, layers, byLayer, consistency, tree, steps, false);
    }

    /** Clocks whose updates a worker need not have. */
    int staleness() {
        long behind = LATE_CLOCK - ConsistencyRules.named(consistency).requiredVersion(LATE_CLOCK);
        return (int) Math.min(behind, Integer.MAX_VALUE);
    }

    /** Bytes in the log of a frame of a slice of {@code elements}. */
    int frameBytes(int elements) {
        int count = (int) Math.clamp(Math.round(kept * elements), 1L, elements);
        BlockFormat format = BlockFormat.cheapest(values, elements, count);
        int sent = format == BlockFormat.DENSE ? elements : count;
        return AERON_HEADER + Frame.DATA_LENGTH + format.minLength(values, elements, sent);
    }

    /** Bytes in the log of an update of all parameters. */
    public double bytes(long parameters) {
        int elements = (int) Math.min(slice, parameters);
        return (double) Math.ceilDiv(parameters, elements) * frameBytes(elements);
    }
}
