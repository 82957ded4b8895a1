package io.sluice.perf.layers;

import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;

/**
 * The terms of one turn's cluster, as they are passed on to the node that coordinates it.
 *
 * @param servers       number of servers
 * @param workers       number of workers
 * @param sliceElements floats of a slice at most
 * @param order         of slices that wait
 * @param budget        of each data link, bits per second
 * @param burst         bytes that such a link may send at once
 */
record Terms(int servers, int workers, int sliceElements, String order, long budget, int burst) {
    /** Links are full all the time here, and two cores carry all nodes. */
    private static final int LIVENESS_MS = 20_000;

    /** Of a plan, by a method, over links of a rate. */
    static Terms of(TrainingPlan plan, SyncMethod method, long rate) {
        Wire wire = new Wire(rate, plan.workers(), plan.servers());
        return new Terms(
                plan.servers(),
                plan.workers(),
                method.sliceElements(),
                method.order(),
                wire.budget(),
                wire.burst(method.sliceElements()));
    }

    /** From the words of {@link #words}, which begin at a place. */
    static Terms parse(String[] words, int at) {
        return new Terms(
                Integer.parseInt(words[at]),
                Integer.parseInt(words[at + 1]),
                Integer.parseInt(words[at + 2]),
                words[at + 3],
                Long.parseLong(words[at + 4]),
                Integer.parseInt(words[at + 5]));
    }

    String words() {
        return servers + " " + workers + " " + sliceElements + " " + order + " " + budget + " " + burst;
    }

    /** BSP of exact f32 updates: no filter, no compression. */
    ClusterSettings settings() {
        return ClusterSettings.builder()
                .servers(servers)
                .workers(workers)
                .consistency("bsp")
                .filter("none")
                .values("f32")
                .compressor("none")
                .transport(TransportKind.UDP)
                .sliceElements(sliceElements)
                .order(order)
                .linkBudget(budget + "bit", burst)
                .tree("flat")
                .livenessMs(LIVENESS_MS)
                .build();
    }
}
