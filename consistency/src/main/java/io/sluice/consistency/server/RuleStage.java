package io.sluice.consistency.server;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.DataFrameDecoder;
import io.sluice.codecs.Frame;
import io.sluice.codecs.OffHeap;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.terms.ClusterException;
import io.sluice.consistency.terms.Failure;
import io.sluice.consistency.terms.TableSpec;
import io.sluice.filter.BlockAccumulator;
import io.sluice.filter.spi.NotFiniteException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongToIntFunction;

/**
 * Applies an update rule to pushes, and adds the resulting change to the sums (decision 13). The first
 * values of the parameters are added as they are.
 */
abstract class RuleStage extends SumStage implements UpdateRule.Slice {
    private static final long START = 0;
    private static final long NOT_YET = -1;

    private final UpdateRule rule;
    private final LongToIntFunction workers;
    private final List<SliceStore> states = new ArrayList<>();

    /** By state and slice, the memory of the slice. */
    private final MemorySegment[][] parts;

    private int slice;
    private long round;
    private MemorySegment pushed;

    /** The last round whose workers were counted. */
    private long counted = START;

    private int count;

    RuleStage(Terms terms, SliceStore sums, BlockAccumulator accumulator) {
        super(sums, accumulator);
        this.rule = terms.rule;
        this.workers = terms.workers;
        for (int i = 0; i < rule.stateFloats(); i++) {
            states.add(new SliceStore(terms.spec, terms.owned));
        }
        this.parts = states.stream().map(SliceStore::parts).toArray(MemorySegment[][]::new);
    }

    /**
     * The rule of a table and the slices to which this server applies it.
     *
     * @param spec     the table
     * @param owned    numbers of the slices
     * @param rule     a rule other than {@code sum}
     * @param workers  number of workers of a round
     * @param versions number of versions on which workers may compute at a time
     */
    record Terms(TableSpec spec, int[] owned, UpdateRule rule, LongToIntFunction workers, int versions) {
        /** Creates the stage. */
        SumStage newStage(SliceStore sums, BlockAccumulator accumulator) {
            if (rule.revises()) {
                return new Revising(this, sums, accumulator);
            }
            if (rule.weighs()) {
                return new Weighted(this, sums, accumulator);
            }
            return rule.isForEachPush()
                    ? new EachPush(this, sums, accumulator)
                    : new EachRound(this, sums, accumulator);
        }
    }

    /** Number of floats of each parameter that are saved and handed over in addition to its sum. */
    static int statesOf(UpdateRule rule) {
        return rule.stateFloats() + (rule.revises() ? 1 : 0);
    }

    @Override
    final void add(int position, DataFrameDecoder push) {
        if (START == push.clock()) {
            super.add(position, push);
        } else {
            take(position, push);
        }
    }

    abstract void take(int position, DataFrameDecoder push);

    /** Replaces pushed values by the change, and adds it to the sum. */
    final void apply(int position, long inRound, MemorySegment values) {
        slice = position;
        round = inRound;
        pushed = values;
        rule.apply(this);
        try {
            accumulator.add(values, sums.segment(), sums.offset(position), sums.length(position));
        } catch (NotFiniteException e) {
            throw new ClusterException(
                    Failure.NOT_FINITE,
                    "the update rule makes the change " + e.added() + " for " + sums.at(position, e.element())
                            + " in clock " + inRound + ", with which the sum is " + e.sum()
                            + ", expected finite numbers");
        }
    }

    /** Adds a push to values of the slice. */
    final void addTo(MemorySegment values, DataFrameDecoder push) {
        accumulator.add(push, values, 0, push.elements());
    }

    /** Memory of one slice, shared by all positions. */
    final MemorySegment[] newScratch(TableSpec spec) {
        MemorySegment memory = OffHeap.allocate((long) spec.sliceElements() * Float.BYTES);
        MemorySegment[] views = new MemorySegment[sums.parts().length];
        Arrays.setAll(views, i -> memory.asSlice(0, (long) sums.length(i) * Float.BYTES));
        return views;
    }

    @Override
    List<SliceStore> states() {
        return states;
    }

    @Override
    public final int elements() {
        return sums.length(slice);
    }

    @Override
    public final MemorySegment pushed() {
        return pushed;
    }

    @Override
    public final MemorySegment state(int index) {
        return parts[index][slice];
    }

    @Override
    public MemorySegment missed() {
        throw new UnsupportedOperationException("missed() is available only to update rules that revise their steps");
    }

    @Override
    public final long round() {
        return round;
    }

    @Override
    public final int workers() {
        if (counted != round) {
            counted = round;
            count = workers.applyAsInt(round);
        }
        return count;
    }

    @Override
    public long weight() {
        return workers();
    }

    /** Applies the rule once a round to the sum of its pushes. */
    private static class EachRound extends RuleStage {
        final MemorySegment[] pushed;

        /** For each slice, whether the rule applies to the round; always unless the rule needs a push. */
        private final boolean[] applies;

        private final boolean appliesAlways;

        EachRound(Terms terms, SliceStore sums, BlockAccumulator accumulator) {
            super(terms, sums, accumulator);
            this.pushed = new SliceStore(terms.spec, terms.owned).parts();
            this.applies = new boolean[pushed.length];
            this.appliesAlways = !terms.rule.needsPush() && !terms.rule.weighs();
            Arrays.fill(applies, appliesAlways);
        }

        @Override
        final void take(int position, DataFrameDecoder push) {
            collect(position, push);
            applies[position] = true;
        }

        void collect(int position, DataFrameDecoder push) {
            addTo(pushed[position], push);
        }

        @Override
        void finish(int position, long round) {
            if (round > START && applies[position]) {
                applies[position] = appliesAlways;
                apply(position, round, pushed[position]);
                pushed[position].fill((byte) 0);
            }
        }
    }

    /** Applies the rule once a round to the weighted sum of its pushes. A push without values counts, too. */
    private static final class Weighted extends EachRound {
        private final MemorySegment[] scratch;

        /** For each slice, the sum of the weights of its pushes in the round. */
        private final long[] weights;

        private long weight;

        Weighted(Terms terms, SliceStore sums, BlockAccumulator accumulator) {
            super(terms, sums, accumulator);
            this.scratch = newScratch(terms.spec);
            this.weights = new long[terms.owned.length];
        }

        @Override
        String objection(int position, DataFrameDecoder push) {
            boolean fits = START == push.clock()
                    ? Frame.NO_TAG == push.tag()
                    : push.tag() >= 1 && push.tag() <= Integer.MAX_VALUE;
            return fits
                    ? null
                    : "gives slice " + push.slice() + " in clock " + push.clock()
                            + (Frame.NO_TAG == push.tag() ? " no weight" : " the weight " + push.tag()) + ", expected "
                            + (START == push.clock() ? "none" : "1 to " + Integer.MAX_VALUE);
        }

        @Override
        void collect(int position, DataFrameDecoder push) {
            MemorySegment values = scratch[position];
            values.fill((byte) 0);
            addTo(values, push);
            MemorySegment sum = super.pushed[position];
            float factor = push.tag();
            int elements = sums().length(position);
            for (int i = 0; i < elements; i++) {
                float now = sum.getAtIndex(JAVA_FLOAT, i);
                sum.setAtIndex(JAVA_FLOAT, i, now + factor * values.getAtIndex(JAVA_FLOAT, i));
            }
            weights[position] += push.tag();
        }

        @Override
        void finish(int position, long round) {
            weight = weights[position];
            super.finish(position, round);
            weights[position] = 0;
        }

        @Override
        public long weight() {
            return weight;
        }
    }

    /** Applies the rule to each push. */
    private static class EachPush extends RuleStage {
        private final MemorySegment[] scratch;

        EachPush(Terms terms, SliceStore sums, BlockAccumulator accumulator) {
            super(terms, sums, accumulator);
            this.scratch = newScratch(terms.spec);
        }

        @Override
        void take(int position, DataFrameDecoder push) {
            MemorySegment values = scratch[position];
            values.fill((byte) 0);
            addTo(values, push);
            prepare(position, push, values);
            apply(position, push.clock(), values);
        }

        void prepare(int position, DataFrameDecoder push, MemorySegment values) {}
    }

    /**
     * Stage that also determines what the pushing worker lacked: all that the server has added since it finalised the
     * version on which the worker computed. It keeps the sum of all pushes as of each version that a worker may
     * still name.
     */
    private static final class Revising extends EachPush {
        private final List<SliceStore> saved;

        /** For each slice, the sum of all pushes. */
        private final MemorySegment[] total;

        /** By version modulo their number, and by slice, that sum as of the version. */
        private final MemorySegment[][] seen;

        private final MemorySegment[] missed;

        /** For each slice, the last version in {@link #seen}; -1 before the first, also after state was restored. */
        private final long[] finished;

        private MemorySegment between;

        Revising(Terms terms, SliceStore sums, BlockAccumulator accumulator) {
            super(terms, sums, accumulator);
            SliceStore totals = new SliceStore(terms.spec, terms.owned);
            this.saved = new ArrayList<>(super.states());
            saved.add(totals);
            this.total = totals.parts();
            this.seen = new MemorySegment[terms.versions][];
            Arrays.setAll(seen, _ -> new SliceStore(terms.spec, terms.owned).parts());
            this.missed = newScratch(terms.spec);
            this.finished = new long[terms.owned.length];
            Arrays.fill(finished, NOT_YET);
        }

        @Override
        String objection(int position, DataFrameDecoder push) {
            long most = NOT_YET == finished[position] ? push.clock() - 1 : finished[position];
            long least = Math.max(0, most + 1 - seen.length);
            boolean fits = START == push.clock()
                    ? Frame.NO_TAG == push.tag()
                    : push.tag() >= least && push.tag() <= most && push.tag() < push.clock();
            return fits
                    ? null
                    : "states that slice " + push.slice() + " in clock " + push.clock() + " was computed on "
                            + (Frame.NO_TAG == push.tag() ? "no version" : "version " + push.tag()) + ", expected "
                            + least + " to " + Math.min(most, push.clock() - 1);
        }

        @Override
        void prepare(int position, DataFrameDecoder push, MemorySegment values) {
            if (NOT_YET == finished[position]) {
                copySeen(position, push.tag());
            }
            MemorySegment sum = total[position];
            MemorySegment before = seen[(int) (push.tag() % seen.length)][position];
            between = missed[position];
            int elements = sums().length(position);
            for (int i = 0; i < elements; i++) {
                float now = sum.getAtIndex(JAVA_FLOAT, i);
                between.setAtIndex(JAVA_FLOAT, i, now - before.getAtIndex(JAVA_FLOAT, i));
                sum.setAtIndex(JAVA_FLOAT, i, now + values.getAtIndex(JAVA_FLOAT, i));
            }
        }

        @Override
        void finish(int position, long round) {
            copySeen(position, round);
        }

        private void copySeen(int position, long version) {
            seen[(int) (version % seen.length)][position].copyFrom(total[position]);
            finished[position] = version;
        }

        @Override
        List<SliceStore> states() {
            return saved;
        }

        @Override
        public MemorySegment missed() {
            return between;
        }
    }
}
