package io.sluice.perf.shared;

import java.util.List;

/**
 * The measurements of one run of the job.
 *
 * @param workers measurements of each worker
 * @param traffic traffic of each phase
 */
record Turn(List<Clocks> workers, List<Traffic> traffic) {
    /** Seconds of each clock of a phase, of its slowest worker. */
    double[] seconds(SharedPlan plan, Phase phase) {
        double[] longest = new double[plan.end(phase) - plan.start(phase)];
        for (Clocks worker : workers) {
            for (int i = 0; i < longest.length; i++) {
                longest[i] = Math.max(longest[i], worker.seconds()[plan.start(phase) + i]);
            }
        }
        return longest;
    }

    /** Mean share of elements that were pushed in a phase. */
    double kept(SharedPlan plan, Phase phase) {
        double sum = 0;
        for (Clocks worker : workers) {
            for (int clock = plan.start(phase); clock < plan.end(phase); clock++) {
                sum += worker.kept()[clock];
            }
        }
        return sum / workers.size() / (plan.end(phase) - plan.start(phase));
    }
}
