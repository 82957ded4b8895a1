package io.sluice.peers;

import java.util.Arrays;
import java.util.Map;

/** Broadcast algorithms of Open MPI: its default, and its two best for long messages over a network. */
enum MpiAlgorithm {
    /** The algorithm that its decision tables choose. */
    DEFAULT("openmpi default", Map.of()),

    /** A chain that forwards segments. */
    PIPELINE("openmpi pipeline", forced("3", "131072")),

    /** The root scatters the message, and all ranks forward their parts round a ring. */
    SCATTER_RING("openmpi scatter-ring", forced("9", "0"));

    private final String shape;
    private final Map<String, String> parameters;

    MpiAlgorithm(String shape, Map<String, String> parameters) {
        this.shape = shape;
        this.parameters = parameters;
    }

    /** Parameters that force an algorithm, by its number in the component {@code tuned}. */
    private static Map<String, String> forced(String algorithm, String segment) {
        return Map.of(
                "coll_tuned_use_dynamic_rules", "1",
                "coll_tuned_bcast_algorithm", algorithm,
                "coll_tuned_bcast_algorithm_segmentsize", segment);
    }

    /** Finds an algorithm by its name. */
    static MpiAlgorithm named(String shape) {
        return Arrays.stream(values())
                .filter(algorithm -> algorithm.shape.equals(shape))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown peer '" + shape + "'"));
    }

    /** Name of the algorithm in reports. */
    String shape() {
        return shape;
    }

    /** Parameters of Open MPI. */
    Map<String, String> parameters() {
        return parameters;
    }
}
