package io.sluice.cli.advise;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.codecs.Frame;
import io.sluice.codecs.api.ValueType;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.consistency.clock.ConsistencyRules;
import io.sluice.consistency.terms.Protocol;

/**
 * What may be changed about a job, by the names of the options of {@code train} where there is one.
 *
 * @param protocol name of the protocol
 * @param consistency consistency rule
 * @param tree planner of the broadcast trees
 * @param values type of the values
 * @param order which waiting slice is sent first: {@code fifo} or {@code layer}
 * @param slice elements of a slice
 * @param layers equal parts in which the update is pushed, each when it is computed; 1 for an update as a whole
 * @param steps steps of computing between two clocks
 * @param kept share of the elements that a worker pushes
 * @param broadcastKept share of the elements that servers broadcast
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record Setup(
        String protocol,
        String consistency,
        String tree,
        String values,
        String order,
        int slice,
        int layers,
        int steps,
        double kept,
        double broadcastKept) {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int AERON_HEADER = 32;
    private static final long LATE_CLOCK = 1_000_000;

    /** The same setup but for one value, by its name in JSON. */
    Setup with(String name, Object value) {
        ObjectNode changed = MAPPER.valueToTree(this);
        return MAPPER.convertValue(changed.putPOJO(name, value), Setup.class);
    }

    /** The same setup but for the shares of the elements that are sent. */
    Setup withKept(double pushed, double broadcast) {
        return with("kept", pushed).with("broadcast_kept", broadcast);
    }

    @JsonIgnore
    boolean isPull() {
        return Protocol.PUSH_PULL.configName().equals(protocol);
    }

    /** Clocks whose updates a worker need not have. */
    int staleness() {
        long behind = LATE_CLOCK - ConsistencyRules.named(consistency).requiredVersion(LATE_CLOCK);
        return (int) Math.min(behind, Integer.MAX_VALUE);
    }

    /** Bytes in the log of a frame of a slice of {@code elements}, of which a share is sent. */
    int frameBytes(int elements, double share) {
        ValueType type = ValueType.named(values);
        int count = (int) Math.clamp(Math.round(share * elements), 1L, elements);
        BlockFormat format = BlockFormat.cheapest(type, elements, count);
        int sent = format == BlockFormat.DENSE ? elements : count;
        return AERON_HEADER + Frame.DATA_LENGTH + format.minLength(type, elements, sent);
    }

    /** Bytes in the log of a share of all parameters. */
    double bytes(long parameters, double share) {
        int elements = (int) Math.min(slice, parameters);
        return (double) Math.ceilDiv(parameters, elements) * frameBytes(elements, share);
    }

    /**
     * The share of kept elements at which the frames have {@code factor} times as many bytes as at {@code share}; 1 if
     * no share has as many bytes.
     */
    double shareOf(long parameters, double share, double factor) {
        double bytes = factor * bytes(parameters, share);
        double low = 0;
        double high = 1;
        for (int i = 0; i < ClockForecast.HALVINGS; i++) {
            double middle = (low + high) / 2;
            if (bytes(parameters, middle) < bytes) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
}
