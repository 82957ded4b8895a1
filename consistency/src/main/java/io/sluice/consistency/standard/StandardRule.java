package io.sluice.consistency.standard;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.codecs.spi.PolicySpec;
import io.sluice.consistency.spi.UpdateRule;
import io.sluice.consistency.spi.UpdateRuleProvider;
import java.lang.foreign.MemorySegment;

/**
 * The built-in rules. In the formulas u is the pushed value, a step downhill, and all arithmetic is in f32.
 */
enum StandardRule implements UpdateRuleProvider {
    /** The change is u. Servers never apply this rule: they add pushes to the sums as they arrive. */
    SUM("sum", "sum") {
        @Override
        public UpdateRule create(PolicySpec spec) {
            spec.requireArguments(0).allowOptions();
            return slice -> {};
        }
    },

    /**
     * The change is u / n with n workers in the round. With {@code weighted}, it is the sum of w u divided by the sum
     * of w, over the workers that have pushed the slice, with the weight w of each: federated averaging (McMahan et al.
     * 2017, algorithm 1).
     */
    MEAN("mean", "mean[;weighted]") {
        @Override
        public UpdateRule create(PolicySpec spec) {
            spec.requireArguments(0).allowOptions(WEIGHTED);
            return new Mean(spec.flag(WEIGHTED));
        }
    },

    /**
     * AdaGrad (Duchi, Hazan, Singer 2011), each push by itself: z += u u; the change is R u / sqrt(1 + z). It is
     * {@link #ADAREVISION} without revision.
     */
    ADAGRAD("adagrad", "adagrad:R, a finite rate above 0") {
        @Override
        public UpdateRule create(PolicySpec spec) {
            spec.requireArguments(1).allowOptions();
            return new AdaGrad(rate(spec, 0));
        }
    },

    /**
     * AdaRevision (McMahan, Streeter 2014, algorithm 3, with the sum of squares beginning at 1 as in their code). Let m
     * be the sum of the pushes that the server had received but the worker did not have when it computed u; z the
     * adaptive sum of squares, and y its maximum so far. Then a = R / sqrt(1 + y); z += u (u + 2 m); y = max(y, z); b =
     * R / sqrt(1 + y); the change is b u - (a - b) m.
     */
    ADAREVISION("adarevision", "adarevision:R, a finite rate above 0") {
        @Override
        public UpdateRule create(PolicySpec spec) {
            spec.requireArguments(1).allowOptions();
            return new AdaRevision(rate(spec, 0));
        }
    },

    /** Heavy ball (Polyak 1964): m = B m + u; the change is R m. The options are those of {@link #NESTEROV}. */
    MOMENTUM("momentum", "momentum:R[,B][;outer][;weighted], a finite rate above 0 and B from 0 to below 1 (0.9)") {
        @Override
        public UpdateRule create(PolicySpec spec) {
            return momentum(spec, false);
        }
    },

    /**
     * Nesterov's momentum as Sutskever et al. (2013) write it: m = B m + u; the change is R (u + B m). With {@code
     * outer}, u is divided by the number of workers, and a round in which no worker pushes a slice leaves the slice as
     * it is: {@code nesterov:0.7,0.9;outer} is the outer optimiser of DiLoCo (Douillard et al. 2023, algorithm 1). With
     * {@code weighted} as well, u is the weighted mean of {@link #MEAN}.
     */
    NESTEROV("nesterov", "nesterov:R[,B][;outer][;weighted], a finite rate above 0 and B from 0 to below 1 (0.9)") {
        @Override
        public UpdateRule create(PolicySpec spec) {
            return momentum(spec, true);
        }
    },

    /**
     * Adam (Kingma, Ba 2015, algorithm 1) in round t: m = B m + (1 - B) u; v = C v + (1 - C) u u; the change is R (m /
     * (1 - B^t)) / (sqrt(v / (1 - C^t)) + 1e-8).
     */
    ADAM("adam", "adam:R[,B,C], a finite rate above 0, B and C from 0 to below 1 (0.9,0.999)") {
        @Override
        public UpdateRule create(PolicySpec spec) {
            spec.requireArguments(1, 3).allowOptions();
            return new Adam(rate(spec, 0), share(spec, 1, DEFAULT_MOMENTUM), share(spec, 2, DEFAULT_SQUARES));
        }
    };

    private static final String OUTER = "outer";
    private static final String WEIGHTED = "weighted";
    private static final float DEFAULT_MOMENTUM = 0.9f;
    private static final float DEFAULT_SQUARES = 0.999f;
    private static final float EPSILON = 1e-8f;

    private final String word;
    private final String form;

    StandardRule(String word, String form) {
        this.word = word;
        this.form = form;
    }

    @Override
    public String configName() {
        return word;
    }

    @Override
    public String form() {
        return form;
    }

    private static UpdateRule momentum(PolicySpec spec, boolean looksAhead) {
        spec.requireArguments(1, 2).allowOptions(OUTER, WEIGHTED);
        if (spec.flag(WEIGHTED) && !spec.flag(OUTER)) {
            throw spec.refusal("the option weighted needs the option outer");
        }
        float decay = share(spec, 1, DEFAULT_MOMENTUM);
        return new Momentum(rate(spec, 0), decay, looksAhead, spec.flag(OUTER), spec.flag(WEIGHTED));
    }

    private static float rate(PolicySpec spec, int index) {
        float rate = (float) spec.number(index);
        if (!(rate > 0 && rate <= Float.MAX_VALUE)) {
            throw spec.refusal(spec.number(index) + " is not a finite f32 above 0");
        }
        return rate;
    }

    private static float share(PolicySpec spec, int index, float byDefault) {
        if (index >= spec.arguments()) {
            return byDefault;
        }
        float share = (float) spec.number(index);
        if (!(share >= 0 && share < 1)) {
            throw spec.refusal(spec.number(index) + " is not from 0 to below 1");
        }
        return share;
    }

    private static float get(MemorySegment segment, int i) {
        return segment.getAtIndex(JAVA_FLOAT, i);
    }

    private static void set(MemorySegment segment, int i, float value) {
        segment.setAtIndex(JAVA_FLOAT, i, value);
    }

    private record Mean(boolean weighs) implements UpdateRule {
        @Override
        public boolean isForEachPush() {
            return !weighs;
        }

        @Override
        public void apply(Slice slice) {
            MemorySegment pushed = slice.pushed();
            float weight = slice.weight();
            for (int i = 0; i < slice.elements(); i++) {
                set(pushed, i, get(pushed, i) / weight);
            }
        }
    }

    private record AdaGrad(float rate) implements UpdateRule {
        @Override
        public int stateFloats() {
            return 1;
        }

        @Override
        public boolean isForEachPush() {
            return true;
        }

        @Override
        public void apply(Slice slice) {
            MemorySegment pushed = slice.pushed();
            MemorySegment squares = slice.state(0);
            for (int i = 0; i < slice.elements(); i++) {
                float u = get(pushed, i);
                float z = get(squares, i) + u * u;
                set(squares, i, z);
                set(pushed, i, step(rate, z) * u);
            }
        }
    }

    private record AdaRevision(float rate) implements UpdateRule {
        @Override
        public int stateFloats() {
            return 2;
        }

        @Override
        public boolean isForEachPush() {
            return true;
        }

        @Override
        public boolean revises() {
            return true;
        }

        @Override
        public void apply(Slice slice) {
            MemorySegment pushed = slice.pushed();
            MemorySegment missed = slice.missed();
            MemorySegment squares = slice.state(0);
            MemorySegment largest = slice.state(1);
            for (int i = 0; i < slice.elements(); i++) {
                float u = get(pushed, i);
                float m = get(missed, i);
                float y = get(largest, i);
                float before = step(rate, y);
                float z = get(squares, i) + u * (u + 2 * m);
                y = Math.max(y, z);
                float after = step(rate, y);
                set(squares, i, z);
                set(largest, i, y);
                set(pushed, i, after * u - (before - after) * m);
            }
        }
    }

    /** The step size after a sum of squares; NaN, which ends the job, rather than 0 once the sum is infinite. */
    private static float step(float rate, float squares) {
        return rate / (float) Math.sqrt(1 + squares) + 0 * squares;
    }

    private record Momentum(float rate, float decay, boolean looksAhead, boolean needsPush, boolean weighs)
            implements UpdateRule {
        @Override
        public int stateFloats() {
            return 1;
        }

        @Override
        public void apply(Slice slice) {
            MemorySegment pushed = slice.pushed();
            MemorySegment speed = slice.state(0);
            float weight = needsPush ? slice.weight() : 1;
            for (int i = 0; i < slice.elements(); i++) {
                float u = get(pushed, i) / weight;
                float m = decay * get(speed, i) + u;
                set(speed, i, m);
                set(pushed, i, rate * (looksAhead ? u + decay * m : m));
            }
        }
    }

    private record Adam(float rate, float meanDecay, float squareDecay) implements UpdateRule {
        @Override
        public int stateFloats() {
            return 2;
        }

        @Override
        public void apply(Slice slice) {
            MemorySegment pushed = slice.pushed();
            MemorySegment means = slice.state(0);
            MemorySegment squares = slice.state(1);
            float meanShare = (float) (1 - StrictMath.pow(meanDecay, slice.round()));
            float squareShare = (float) (1 - StrictMath.pow(squareDecay, slice.round()));
            for (int i = 0; i < slice.elements(); i++) {
                float u = get(pushed, i);
                float m = meanDecay * get(means, i) + (1 - meanDecay) * u;
                float v = squareDecay * get(squares, i) + (1 - squareDecay) * u * u;
                set(means, i, m);
                set(squares, i, v);
                set(pushed, i, rate * (m / meanShare) / ((float) Math.sqrt(v / squareShare) + EPSILON) + 0 * v);
            }
        }
    }
}
