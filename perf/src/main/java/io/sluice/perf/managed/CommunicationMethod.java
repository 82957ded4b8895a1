package io.sluice.perf.managed;

import io.sluice.consistency.terms.Protocol;
import java.util.List;

/**
 * When and in which order slices go out.
 *
 * @param words    for people
 * @param protocol whether any go before their clock ends
 * @param order    of those that may go
 */
record CommunicationMethod(String words, Protocol protocol, String order) {
    /** What all others are compared with. */
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
