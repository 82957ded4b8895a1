package io.sluice.consistency.server;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.filter.BlockAccumulator;
import java.util.List;

/**
 * What a push, and the end of a round, do to the sums of a table's slices. This stage adds pushes; {@link RuleStage}
 * applies an update rule. Slices are numbered among those owned, from 0. Used by the server's thread.
 */
class SumStage {
    final SliceStore sums;
    final BlockAccumulator accumulator;

    SumStage(SliceStore sums, BlockAccumulator accumulator) {
        this.sums = sums;
        this.accumulator = accumulator;
    }

    /**
     * Takes a worker's push of a slice.
     *
     * @throws io.sluice.filter.spi.NotFiniteException if a sum becomes NaN or infinite
     */
    void add(int slice, DataFrameDecoder push) {
        accumulator.add(push, sums.segment(), sums.offset(slice), sums.length(slice));
    }

    /** Describes why a push does not fit the update rule; null if it does. */
    String objection(int slice, DataFrameDecoder push) {
        return Frame.NO_TAG == push.tag()
                ? null
                : "tags slice " + push.slice() + " in clock " + push.clock() + " with " + push.tag()
                        + ", expected no tag with this update rule";
    }

    /** Ends a round of a slice, whose sum is broadcast next. */
    void finish(int slice, long round) {}

    /** The further state that is saved and transferred with the sums, in the same layout; none by default. */
    List<SliceStore> states() {
        return List.of();
    }

    final SliceStore sums() {
        return sums;
    }
}
