package io.sluice.consistency.server;

import io.sluice.consistency.terms.TableSpec;
import io.sluice.consistency.wire.StateSender;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The state of the slices that a server owns of one table.
 *
 * @param slices numbers of the slices, ascending
 * @param sums       one for each slice, and which workers' parts it contains
 * @param roundSink  receives finalised slices
 * @param parameters parameters that are kept for nodes that join while the job runs; null if none can join
 */
record TablePart(int[] slices, SliceSums sums, RoundSink roundSink, KeptParameters parameters) {

    /** The state that is transferred and saved: the residuals in the sums, then the parameters if they are kept. */
    MemorySegment[] stores() {
        MemorySegment segment = sums.store().segment();
        return null == parameters
                ? new MemorySegment[] {segment}
                : new MemorySegment[] {segment, parameters.store().segment()};
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
        int[] missing = new int[slices.length];
        int count = 0;
        int at = 0;
        for (int position = 0; position < slices.length; position++) {
            while (at < before.slices.length && before.slices[at] < slices[position]) {
                at++;
            }
            if (at < before.slices.length && before.slices[at] == slices[position]) {
                sums.store().copyFrom(position, before.sums.store(), at);
                parameters.copyFrom(position, before.parameters, at);
            } else {
                missing[count++] = position;
            }
        }
        return Arrays.copyOf(missing, count);
    }
}
