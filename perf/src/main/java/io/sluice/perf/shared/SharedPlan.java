package io.sluice.perf.shared;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.util.List;

/**
 * The settings that all turns share: one server, and workers that push to it.
 *
 * @param rate    rate of the link between server and workers, bits per second
 * @param cross   share of that link that cross traffic uses, in each direction
 * @param low     delta of the fixed threshold, and of the adaptive threshold while links are fast
 * @param high    delta of the adaptive threshold while a link is slow
 * @param minimum rate below which a link is slow, bits per second
 */
record SharedPlan(
        int workers,
        int elements,
        long computeNs,
        long rate,
        double cross,
        List<Integer> clocks,
        double low,
        double high,
        long minimum) {
    /** Number of clocks before the first phase, in which residuals and the estimates of link rates settle. */
    static final int WARMUP = 60;

    /** The receivers' window: two fit into the queue of a link that cross traffic mostly uses. */
    static final int WINDOW = 256 << 10;

    static final int MAX_WORKERS = 8;
    static final int MAX_ELEMENTS = 1 << 26;
    static final int SLICE = 8_192;
    private static final int BURST = 64 << 10;

    /** The share of a link's rate that is available for bytes of the log, after headers and some slack. */
    private static final double USED = 0.95;

    /** Liveness time: long, because all nodes share two cores, and cross traffic uses most of the links. */
    private static final int LIVENESS_MS = 20_000;

    /** Number of clocks of a turn. */
    int allClocks() {
        return WARMUP + clocks.stream().mapToInt(Integer::intValue).sum();
    }

    /** First clock of a phase, from 0. */
    int start(Phase phase) {
        return WARMUP
                + clocks.subList(0, phase.ordinal()).stream()
                        .mapToInt(Integer::intValue)
                        .sum();
    }

    /** First clock after a phase. */
    int end(Phase phase) {
        return start(phase) + clocks.get(phase.ordinal());
    }

    /** BSP over UDP; each data link is paced at its fair share of that link. */
    ClusterSettings settings(String filter) {
        return ClusterSettings.builder()
                .servers(1)
                .workers(workers)
                .consistency("bsp")
                .filter(filter)
                .values("f32")
                .compressor("none")
                .transport(TransportKind.UDP)
                .sliceElements(SLICE)
                .linkBudget((long) (USED * rate / workers) + "bit", BURST)
                .tree("flat")
                .livenessMs(LIVENESS_MS)
                .build();
    }
}
