package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotMeter;
import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.Tally;

/** What snapshots cost, among the counters of their node. */
final class CountedSnapshots implements SnapshotMeter {
    private final Tally saved;
    private final Tally bytes;
    private final Tally copyNs;
    private final Tally savingNs;

    CountedSnapshots(CounterGroup node) {
        saved = node.tally(CounterType.NODE_SNAPSHOTS);
        bytes = node.tally(CounterType.NODE_SNAPSHOT_BYTES);
        copyNs = node.tally(CounterType.NODE_SNAPSHOT_COPY_TIME);
        savingNs = node.tally(CounterType.NODE_SNAPSHOT_TIME);
    }

    @Override
    public void copied(long ns) {
        copyNs.add(ns);
    }

    @Override
    public void saved(long length, long ns) {
        bytes.add(length);
        savingNs.add(ns);
        saved.increment();
    }
}
