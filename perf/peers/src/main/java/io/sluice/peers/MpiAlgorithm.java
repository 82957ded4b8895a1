package io.sluice.peers;

import java.util.Arrays;
import java.util.Map;

/** How Open MPI broadcasts: as it comes, and as the two best of its algorithms for long messages over a network. */
enum MpiAlgorithm {
    /** Whatever its tables say. */
    DEFAULT("openmpi default", Map.of()),

    /** A chain that passes segments on. */
    PIPELINE("openmpi pipeline", forced("3", "131072")),

    /** The root deals the message out, and all pass their parts round a ring. */
    SCATTER_RING("openmpi scatter-ring", forced("9", "0"));

    private final String shape;
    private final Map<String, String> parameters;

    MpiAlgorithm(String shape, Map<String, String> parameters) {
        this.shape = shape;
        this.parameters = parameters;
    }

    /** Numbers are those of its component {@code tuned}. */
    private static Map<String, String> forced(String algorithm, String segment) {
        return Map.of(
                "coll_tuned_use_dynamic_rules", "1",
                "coll_tuned_bcast_algorithm", algorithm,
                "coll_tuned_bcast_algorithm_segmentsize", segment);
    }

    /** The one of a name. */
    static MpiAlgorithm named(String shape) {
        return Arrays.stream(values())
                .filter(algorithm -> algorithm.shape.equals(shape))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no peer is called '" + shape + "'"));
    }

    /** Its name in reports. */
    String shape() {
        return shape;
    }

    /** Parameters of Open MPI. */
    Map<String, String> parameters() {
        return parameters;
    }
}
