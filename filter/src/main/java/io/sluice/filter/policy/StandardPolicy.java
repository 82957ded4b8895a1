package io.sluice.filter.policy;

import io.sluice.codecs.Levels;
import io.sluice.codecs.spi.BlockFormat;
import io.sluice.codecs.spi.PolicySpec;
import io.sluice.filter.DecayedFilter;
import io.sluice.filter.Quantiser;
import io.sluice.filter.QuantisingFilter;
import io.sluice.filter.TopKFilter;
import io.sluice.filter.ValueBoundedFilter;
import io.sluice.filter.kernel.Draws;
import io.sluice.filter.kernel.Kernels;
import io.sluice.filter.spi.FilterPolicy;
import io.sluice.filter.spi.FilterPolicyProvider;
import io.sluice.filter.spi.FilterSite;
import io.sluice.filter.spi.UpdateFilter;
import io.sluice.filter.threshold.ByteBudget;
import io.sluice.filter.threshold.ConstantDensity;
import io.sluice.filter.threshold.ConstantThreshold;
import io.sluice.filter.threshold.DensityTarget;
import io.sluice.filter.threshold.EstimatedThreshold;
import io.sluice.filter.threshold.InverseSquareRoot;
import io.sluice.filter.threshold.NetworkThreshold;
import io.sluice.filter.threshold.RoundingThreshold;
import io.sluice.filter.threshold.ScheduledThreshold;
import io.sluice.filter.threshold.SelectedTail;
import io.sluice.filter.threshold.SidcoTail;
import io.sluice.filter.threshold.SliceThreshold;
import io.sluice.filter.threshold.TailEstimator;
import io.sluice.filter.threshold.ThresholdSchedule;
import io.sluice.filter.threshold.WarmUp;
import java.util.function.Function;

/** The built-in policies. */
public enum StandardPolicy implements FilterPolicyProvider {
    /** Sends all elements that are not zero: the exact sum, except for rounding errors. */
    NONE("none", "none") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            spec.requireArguments(0).allowOptions();
            return repeated(spec, site -> new RoundingThreshold(site.values()));
        }
    },

    /** Parameter Flow's filter: keeps elements above delta / sqrt(t) (equation 11). */
    DVF("dvf", "dvf:DELTA[;decay=B], a finite f32 of 0 or more, B from 0 to 1") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            spec.requireArguments(1).allowOptions(DECAY);
            ThresholdSchedule schedule = new InverseSquareRoot(spec.threshold(0));
            return repeated(spec, _ -> new ScheduledThreshold(schedule));
        }
    },

    /** Keeps elements above the same threshold at every clock. */
    FIXED("fixed", "fixed:DELTA[;decay=B], a finite f32 of 0 or more, B from 0 to 1") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            spec.requireArguments(1).allowOptions(DECAY);
            ThresholdSchedule schedule = new ConstantThreshold(spec.threshold(0));
            return repeated(spec, _ -> new ScheduledThreshold(schedule));
        }
    },

    /** Parameter Flow's filter with two deltas: one while the network is sufficient, a larger one while it is not. */
    ADAPTIVE(
            "adaptive",
            "adaptive:LOW,HIGH[;min=RATE][;decay=B], finite f32 of 0 or more, LOW at most HIGH, RATE such as 50mbit, B"
                    + " from 0 to 1") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            spec.requireArguments(2).allowOptions(MINIMUM, DECAY);
            if (spec.threshold(0) > spec.threshold(1)) {
                throw spec.refusal(spec.threshold(0) + " is above " + spec.threshold(1));
            }
            ThresholdSchedule low = new InverseSquareRoot(spec.threshold(0));
            ThresholdSchedule up = new InverseSquareRoot(spec.threshold(1));
            return chosen(spec, spec.rate(MINIMUM), false, site -> new NetworkThreshold(low, up, site.feedback()));
        }
    },

    /** Keeps a share of the table's elements; the threshold is selected from a sample. */
    DENSITY("density", "density:D[;warmup=CLOCKS][;every=CLOCKS][;decay=B], D above 0 and at most 1, B from 0 to 1") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            Function<FilterSite, DensityTarget> target = share(spec, WARM_UP, EVERY, DECAY);
            return chosen(spec, site -> estimated(spec, site, target.apply(site), selection(site)));
        }
    },

    /** Keeps a share of the table's elements; SIDCo's fit to a sample gives the threshold. */
    SIDCO("sidco", "sidco:D[;warmup=CLOCKS][;every=CLOCKS][;decay=B], D above 0 and at most 1, B from 0 to 1") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            Function<FilterSite, DensityTarget> target = share(spec, WARM_UP, EVERY, DECAY);
            return chosen(spec, site -> estimated(spec, site, target.apply(site), new SidcoTail()));
        }
    },

    /** Keeps exactly a share of each slice, by selection among all its elements. */
    TOPK("topk", "topk:D[;warmup=CLOCKS][;decay=B], D above 0 and at most 1, B from 0 to 1") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            Function<FilterSite, DensityTarget> target = share(spec, WARM_UP, DECAY);
            return decayed(
                    spec, 0, false, true, site -> new TopKFilter(configName(), target.apply(site), site.newSplitter()));
        }
    },

    /** Keeps as many elements as fit into a number of bytes for each node, direction and clock. */
    BUDGET(
            "budget",
            "budget:BYTES[;warmup=CLOCKS][;every=CLOCKS][;decay=B], BYTES auto or such as 65536, 500kb or 1.5mb, B from"
                    + " 0 to 1") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            spec.requireArguments(1).allowOptions(WARM_UP, EVERY, DECAY);
            boolean measured = spec.says(0, "auto");
            long bytes = measured ? UNBOUNDED : spec.bytes(0);
            int clocks = warmUp(spec);
            every(spec);
            return chosen(spec, 0, measured, site -> {
                DensityTarget budget = new ByteBudget(bytes, site.feedback(), site.elements(), site.node());
                return estimated(spec, site, new WarmUp(budget, clocks), selection(site));
            });
        }
    },

    /** 1-bit SGD: the sign of each element, and two means for each group. The difference is sent later. */
    SIGN("sign", "sign[;group=N][;warmup=CLOCKS], N a multiple of 32 up to 65504, or 0 for whole slices") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            spec.requireArguments(0).allowOptions(GROUP, WARM_UP);
            return quantised(spec, Quantiser.sign());
        }
    },

    /** TernGrad: each element becomes 0 or the group's scale with either sign, at random. */
    TERN("tern", "tern[;feedback][;group=N][;warmup=CLOCKS][;seed=N], group as of sign") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            spec.requireArguments(0).allowOptions(FEEDBACK, GROUP, WARM_UP, SEED);
            return quantised(spec, Quantiser.ternary(spec.flag(FEEDBACK)));
        }
    },

    /** QSGD: each element becomes one of S levels of the group's 2-norm, or 0, with its sign, at random. */
    QSGD("qsgd", "qsgd:S[;feedback][;group=N][;warmup=CLOCKS][;seed=N], S from 1 to 127, group as of sign") {
        @Override
        public FilterPolicy create(PolicySpec spec) {
            spec.requireArguments(1).allowOptions(FEEDBACK, GROUP, WARM_UP, SEED);
            return quantised(spec, Quantiser.levels(spec.whole(0, 1, MOST_LEVELS), spec.flag(FEEDBACK)));
        }
    };

    private static final String WARM_UP = "warmup";
    private static final String DECAY = "decay";
    private static final String EVERY = "every";
    private static final String MINIMUM = "min";
    private static final String FEEDBACK = "feedback";
    private static final String GROUP = "group";
    private static final String SEED = "seed";

    private static final int DEFAULT_GROUP = 1_024;
    private static final int MOST_LEVELS = 127;

    /** A number of bytes above that of any clock, for a budget that is not known yet. */
    private static final long UNBOUNDED = 1L << 50;

    /** Number of clocks between two runs of the estimator, unless the correction requires a run. */
    private static final int DEFAULT_EVERY = 8;

    private final String word;
    private final String form;

    StandardPolicy(String word, String form) {
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

    /** Creates a policy whose filters send the values above the threshold of a chooser. */
    FilterPolicy chosen(PolicySpec spec, Function<FilterSite, SliceThreshold> chooser) {
        return chosen(spec, 0, false, chooser);
    }

    /** Creates a policy whose filters send the values above the threshold of a chooser that uses measurements. */
    FilterPolicy chosen(
            PolicySpec spec, long leastRate, boolean followsRate, Function<FilterSite, SliceThreshold> chooser) {
        return decayed(
                spec,
                leastRate,
                followsRate,
                false,
                site -> new ValueBoundedFilter(word, chooser.apply(site), site.newSplitter()));
    }

    /** Creates a policy whose threshold depends only on the clock and the slice. */
    FilterPolicy repeated(PolicySpec spec, Function<FilterSite, SliceThreshold> chooser) {
        return decayed(
                spec, 0, false, true, site -> new ValueBoundedFilter(word, chooser.apply(site), site.newSplitter()));
    }

    /** Creates a policy whose residual decays if the specification has the option for it. */
    private static FilterPolicy decayed(
            PolicySpec spec,
            long leastRate,
            boolean followsRate,
            boolean repeats,
            Function<FilterSite, UpdateFilter> maker) {
        float factor = (float) spec.share(DECAY, 1);
        return new Named(
                spec.text(),
                leastRate,
                followsRate,
                repeats,
                factor == 1 ? maker : site -> new DecayedFilter(maker.apply(site), factor));
    }

    /** Creates a policy that quantises all elements after the warm-up. */
    FilterPolicy quantised(PolicySpec spec, Quantiser quantiser) {
        int group = spec.option(GROUP, 0, DEFAULT_GROUP);
        if (!Levels.isGroup(group)) {
            throw spec.refusal("group " + group + " is not a multiple of 32 up to 65504, nor 0");
        }
        int clocks = warmUp(spec);
        long seed = spec.option(SEED, 0, 0);
        return new Named(
                spec.text(),
                0,
                false,
                true,
                site -> new QuantisingFilter(
                        word,
                        quantiser,
                        group,
                        clocks,
                        Draws.mix(seed, site.stream()),
                        site instanceof TableSite own ? own.kernels() : Kernels.preferred(),
                        Math.min(site.sliceElements(), BlockFormat.MAX_ELEMENTS),
                        NONE.create(new PolicySpec("filter", NONE.word, NONE.form))
                                .create(site)));
    }

    private static Function<FilterSite, DensityTarget> share(PolicySpec spec, String... options) {
        spec.requireArguments(1).allowOptions(options);
        double density = spec.density(0);
        int clocks = warmUp(spec);
        every(spec);
        return site -> new WarmUp(new ConstantDensity(density, site.elements()), clocks);
    }

    private static SliceThreshold estimated(
            PolicySpec spec, FilterSite site, DensityTarget target, TailEstimator estimator) {
        return new EstimatedThreshold(target, estimator, site.span(), site.sliceElements(), every(spec));
    }

    private static TailEstimator selection(FilterSite site) {
        return new SelectedTail(EstimatedThreshold.sampleSize(site.span(), site.sliceElements()));
    }

    private static int warmUp(PolicySpec spec) {
        return spec.option(WARM_UP, 0, 0);
    }

    private static int every(PolicySpec spec) {
        return spec.option(EVERY, 1, DEFAULT_EVERY);
    }

    /** A policy that this class has made, with the text that describes it. */
    private record Named(
            String spec, long leastRate, boolean followsRate, boolean repeats, Function<FilterSite, UpdateFilter> maker)
            implements FilterPolicy {
        @Override
        public UpdateFilter create(FilterSite site) {
            return maker.apply(site);
        }
    }
}
