package io.sluice.perf.training;

import io.sluice.perf.cluster.HostTasks;
import io.sluice.perf.cluster.Star;
import io.sluice.perf.lab.CrossFlow;
import io.sluice.perf.lab.CrossTraffic;
import io.sluice.perf.lab.Lab;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Traffic from a host without a node to each host of a star, which begins and ends again and again.
 *
 * @param lab   lab of the star; the host behind those of the star sends
 * @param share share of the rate of each link
 * @param onNs  length of a phase with traffic
 * @param offNs length of a phase without traffic
 */
record CrossPhases(Lab lab, Star star, double share, long onNs, long offNs) {
    /** Runs until the job is done, or one of its tasks fails. */
    void run(HostTasks tasks, BooleanSupplier done) throws IOException, InterruptedException {
        long rate = Math.round(share * star.rate());
        while (!done.getAsBoolean()) {
            List<CrossTraffic> flows = new ArrayList<>();
            try {
                for (int host = 0; host < star.hosts(); host++) {
                    flows.add(lab.cross(CrossFlow.udp(star.hosts(), host, rate)));
                }
                pause(tasks, done, onNs);
            } finally {
                flows.forEach(CrossTraffic::close);
            }
            pause(tasks, done, offNs);
        }
    }

    private static void pause(HostTasks tasks, BooleanSupplier done, long lengthNs) throws InterruptedException {
        long startNs = System.nanoTime();
        tasks.await("a phase is over", () -> done.getAsBoolean() || System.nanoTime() - startNs > lengthNs);
    }
}
