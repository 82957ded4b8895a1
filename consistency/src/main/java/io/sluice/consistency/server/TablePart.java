package io.sluice.consistency.server;

import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.StateSender;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The state of the slices that a server owns of one table.
 *
 * @param slices     numbers of the slices, ascending
 * @param sums       one for each slice, and which workers' parts it contains
 * @param roundSink  receives finalised slices
 * @param parameters parameters that are kept for nodes that join while the job runs; null if none can join
 * @param stores     the state that is transferred and saved: the residuals in the sums, what the update rule remembers,
 *                   and the parameters if they are kept
 */
record TablePart(
        int[] slices, SliceSums sums, RoundSink roundSink, KeptParameters parameters, MemorySegment... stores) {
    TablePart(int[] slices, SliceSums sums, RoundSink roundSink, KeptParameters parameters) {
        this(slices, sums, roundSink, parameters, segments(sums, parameters));
    }

    private static MemorySegment[] segments(SliceSums sums, KeptParameters parameters) {
        return all(sums, parameters).stream().map(SliceStore::segment).toArray(MemorySegment[]::new);
    }

    private static List<SliceStore> all(SliceSums sums, KeptParameters parameters) {
        List<SliceStore> all = new ArrayList<>();
        all.add(sums.store());
        all.addAll(sums.stage().states());
        if (null != parameters) {
            all.add(parameters.store());
        }
        return all;
    }

    /** The state of the slices at some positions, to be transferred to a node. */
    StateSender.Load load(TableSpec spec, long version, int[] positions, MemorySegment... stores) {
        return new StateSender.Load(
                spec,
                version,
                Arrays.stream(positions).map(at -> slices[at]).toArray(),
                Arrays.stream(positions).mapToLong(sums.store()::offset).toArray(),
                stores);
    }

    /** Copies the state of the slices that another part has as well; returns the positions of the others. */
    int[] takeOver(TablePart before) {
        List<SliceStore> now = all(sums, parameters);
        List<SliceStore> then = all(before.sums, before.parameters);
        int[] missing = new int[slices.length];
        int count = 0;
        int at = 0;
        for (int position = 0; position < slices.length; position++) {
            while (at < before.slices.length && before.slices[at] < slices[position]) {
                at++;
            }
            if (at < before.slices.length && before.slices[at] == slices[position]) {
                for (int store = 0; store < now.size(); store++) {
                    now.get(store).copyFrom(position, then.get(store), at);
                }
            } else {
                missing[count++] = position;
            }
        }
        return Arrays.copyOf(missing, count);
    }
}
