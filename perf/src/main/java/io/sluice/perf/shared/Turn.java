package io.sluice.perf.shared;

import io.sluice.perf.cluster.Usage;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The measurements of one run of the job. */
record Turn(List<Clocks> workers, List<Usage> traffic) {
    /** The seconds and the density of pushes of each clock of a worker, and the checksum of its final replica. */
    record Clocks(double[] seconds, double[] kept, int checksum) {}

    /** The seconds that each clock of a phase took at its slowest worker. */
    double[] seconds(SharedPlan plan, Phase phase) {
        return IntStream.range(plan.start(phase), plan.end(phase))
                .mapToDouble(clock -> workers.stream()
                        .mapToDouble(worker -> worker.seconds()[clock])
                        .max()
                        .orElseThrow())
                .toArray();
    }

    /** Mean share of elements that were pushed in a phase. */
    double kept(SharedPlan plan, Phase phase) {
        return workers.stream()
                .flatMapToDouble(worker -> Arrays.stream(worker.kept(), plan.start(phase), plan.end(phase)))
                .average()
                .orElseThrow();
    }
}
