package io.sluice.perf.managed;

import io.sluice.consistency.terms.Protocol;
import java.util.List;

/**
 * A method that decides when and in which order slices are sent.
 *
 * @param protocol whether slices are sent before their clock ends
 * @param order    order of slices that may be sent
 */
record CommunicationMethod(String words, Protocol protocol, String order) {
    /** The baseline of all comparisons. */
    static final CommunicationMethod END_OF_CLOCK =
            new CommunicationMethod("end of clock only", Protocol.UPDATE, "fifo");

    /** The baseline first, then Boesen's four prioritisation strategies (section 3.3.2). */
    static List<CommunicationMethod> all(long seed) {
        return List.of(
                END_OF_CLOCK,
                managed("random", "random:" + seed),
                managed("round-robin", "round-robin"),
                managed("magnitude", "magnitude"),
                managed("relative", "relative"));
    }

    private static CommunicationMethod managed(String words, String order) {
        return new CommunicationMethod("managed, " + words, Protocol.MANAGED, order);
    }
}
