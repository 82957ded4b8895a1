package io.sluice.consistency.membership;

import io.sluice.consistency.snapshot.SnapshotMeter;
import io.sluice.messaging.counters.CounterGroup;
import io.sluice.messaging.counters.CounterType;
import io.sluice.messaging.counters.SingleWriterCounter;

/** Publishes the cost of snapshots as counters of their node. */
final class CountedSnapshots implements SnapshotMeter {
    private final SingleWriterCounter saved;
    private final SingleWriterCounter bytes;
    private final SingleWriterCounter copyNs;
    private final SingleWriterCounter savingNs;

    CountedSnapshots(CounterGroup node) {
        saved = node.counter(CounterType.NODE_SNAPSHOTS);
        bytes = node.counter(CounterType.NODE_SNAPSHOT_BYTES);
        copyNs = node.counter(CounterType.NODE_SNAPSHOT_COPY_TIME);
        savingNs = node.counter(CounterType.NODE_SNAPSHOT_TIME);
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
