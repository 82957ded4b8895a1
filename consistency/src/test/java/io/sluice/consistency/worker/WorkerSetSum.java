package io.sluice.consistency.worker;

import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.terms.WorkerSet;
import java.util.List;

/** First parameters and all updates up to a clock, in the order in which servers and workers add them. */
final class WorkerSetSum {
    private final Updates updates;
    private final TableSpec spec;
    private final float[] values;
    private long clock;

    WorkerSetSum(Updates updates, TableSpec spec) {
        this.updates = updates;
        this.spec = spec;
        this.values = new float[(int) spec.elements()];
        updates.initial(spec.name(), 0, values);
    }

    /** Advances to a clock; the worker sets up to it do not change. */
    float[] upTo(List<WorkerSet> workerSets, long last) {
        while (clock < last) {
            clock++;
            add(workerSets.stream()
                    .filter(workerSet -> workerSet.since() <= clock)
                    .toList()
                    .getLast());
        }
        return values;
    }

    private void add(WorkerSet workerSet) {
        float[] sum = new float[values.length];
        for (int worker : workerSet.workers()) {
            float[] update = updates.of(spec, worker, clock);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += update[i];
            }
        }
        for (int i = 0; i < sum.length; i++) {
            values[i] += sum[i];
        }
    }
}
