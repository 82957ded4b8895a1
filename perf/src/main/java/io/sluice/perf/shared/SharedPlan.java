package io.sluice.perf.shared;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.io.Serializable;
import java.util.List;

/**
 * What all turns have in common: one server, and workers that push to it.
 *
 * @param workers   number of workers
 * @param elements  parameters of the model
 * @param computeNs computing of a clock
 * @param rate      of the link between server and workers, bits per second
 * @param cross     share of that link that others take, in each direction
 * @param clocks    of each phase
 * @param low       delta of the fixed threshold, and of the adaptive one while links are fast
 * @param high      of the adaptive one while a link is slow
 * @param minimum   bits per second that each link must have not to be slow
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
        long minimum)
        implements Serializable {
    /** Clocks before the first phase: residuals settle, and what start-up seemed to say of links is outgrown. */
    static final int WARMUP = 60;

    /** What a receiver takes ahead: two fit the queue of a link of which others have most. */
    static final int WINDOW = 256 << 10;

    static final int MAX_WORKERS = 8;
    static final int MAX_ELEMENTS = 1 << 26;
    static final int SLICE = 8_192;
    private static final int BURST = 64 << 10;

    /** What is left of a link's rate as bytes of the log, with headers and some slack. */
    private static final double USED = 0.95;

    /** Two cores carry all nodes, and others take most of the links. */
    private static final int LIVENESS_MS = 20_000;

    /** Clocks of a turn. */
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

    /** First clock behind a phase. */
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
