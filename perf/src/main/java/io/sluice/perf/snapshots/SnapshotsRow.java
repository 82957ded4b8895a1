package io.sluice.perf.snapshots;

import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import io.sluice.consistency.snapshot.SnapshotInterval;
import io.sluice.perf.race.Quartiles;
import java.util.Arrays;
import java.util.List;

/**
 * What one way to take snapshots cost, over all its turns.
 *
 * @param way                none, auto, whole or increments
 * @param interval           clocks between two snapshots, or auto; {@code null} for none
 * @param params             parameters of the model
 * @param workers            that trained it
 * @param changed            share of them that training changes
 * @param clocks             that count, of all turns
 * @param seconds            mean of a clock
 * @param secondsMedian      median
 * @param secondsLongest     longest
 * @param ratioToNone        seconds over those without snapshots in the same run
 * @param snapshots          of each node, of all turns
 * @param bytesPerSnapshot   that all nodes wrote for one
 * @param standStillSeconds  for which a node stood still to copy its state for one snapshot; of the worst node
 * @param takingSeconds      from the first copy to the disk, at the node that took longest
 * @param intervalSeconds    between two, that Young's formula makes of that with a mean time between failures of a day
 * @param addedAtInterval    share that a snapshot adds to the time from one to the next at that interval
 * @param identical          whether the parameters came out as without snapshots, to the bit
 */
@JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
record SnapshotsRow(
        String way,
        String interval,
        int params,
        int workers,
        double changed,
        int clocks,
        double seconds,
        double secondsMedian,
        double secondsLongest,
        double ratioToNone,
        long snapshots,
        Double bytesPerSnapshot,
        Double standStillSeconds,
        Double takingSeconds,
        Double intervalSeconds,
        Double addedAtInterval,
        boolean identical) {
    private static final double NS = 1e9;

    /** Sums up the turns of a way, beside those without snapshots. */
    static SnapshotsRow of(SnapshotsPlan plan, SnapshotWay way, List<SnapshotTurn> turns, List<SnapshotTurn> none) {
        double[] clocks = seconds(turns);
        double mean = mean(clocks);
        double meanOfNone = mean(seconds(none));
        long snapshots = turns.stream().mapToLong(SnapshotTurn::snapshots).sum();
        boolean any = snapshots > 0;
        long bytes = turns.stream().mapToLong(SnapshotTurn::bytes).sum();
        double copies = turns.stream().mapToDouble(SnapshotTurn::copySeconds).sum();
        double taking =
                turns.stream().mapToDouble(SnapshotTurn::takingSeconds).max().orElseThrow();
        double young = SnapshotInterval.parse("auto").optimumNs((long) (taking * NS)) / NS;
        double added = Math.max(0, mean - meanOfNone) * clocks.length;
        int hash = none.getFirst().replicaHash();
        return new SnapshotsRow(
                way.name(),
                way.interval(),
                plan.params(),
                plan.workers(),
                plan.changed(),
                clocks.length,
                mean,
                Quartiles.of(clocks).median(),
                Arrays.stream(clocks).max().orElseThrow(),
                mean / meanOfNone,
                snapshots,
                any ? (double) bytes / snapshots : null,
                any ? copies / snapshots : null,
                any ? taking : null,
                any ? young : null,
                any ? added / snapshots / young : null,
                turns.stream().allMatch(turn -> hash == turn.replicaHash()));
    }

    private static double[] seconds(List<SnapshotTurn> turns) {
        return turns.stream()
                .flatMapToDouble(turn -> Arrays.stream(turn.clockSeconds()))
                .toArray();
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElseThrow();
    }
}
