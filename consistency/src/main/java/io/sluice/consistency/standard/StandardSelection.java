package io.sluice.consistency.standard;

import io.sluice.codecs.spi.PolicySpec;
import io.sluice.consistency.spi.FactorSelection;
import io.sluice.consistency.spi.FactorSelectionProvider;

/** The built-in factor selections. */
enum StandardSelection implements FactorSelectionProvider {
    /** Sends every group. */
    ALL("all", "all") {
        @Override
        public FactorSelection.Policy create(PolicySpec spec) {
            spec.requireArguments(0).allowOptions();
            return new All();
        }
    },

    /** Sends at most C of the groups and drops the others, see {@link JointSelection}. */
    JOINT("joint", "joint:C with C from 1 to 65535") {
        @Override
        public FactorSelection.Policy create(PolicySpec spec) {
            return new Limited(most(spec), JointSelection::new);
        }
    },

    /** Sends C groups that it computes from a residual, which keeps the remainder, see {@link PowerSelection}. */
    POWER("power", "power:C with C from 1 to 65535") {
        @Override
        public FactorSelection.Policy create(PolicySpec spec) {
            return new Limited(most(spec), PowerSelection::new);
        }
    };

    /** Maximum of C, far above any number of groups for which a selection saves time. */
    private static final int MOST = 65_535;

    private final String word;
    private final String form;

    StandardSelection(String word, String form) {
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

    private static int most(PolicySpec spec) {
        return spec.requireArguments(1).allowOptions().whole(0, 1, MOST);
    }

    private record All() implements FactorSelection.Policy {
        @Override
        public int sent(int groups) {
            return groups;
        }

        @Override
        public FactorSelection create(FactorSelection.Site site) {
            return (u, v, count, clock) -> count;
        }
    }

    private record Limited(int most, Maker maker) implements FactorSelection.Policy {
        @Override
        public int sent(int groups) {
            return Math.min(most, groups);
        }

        @Override
        public FactorSelection create(FactorSelection.Site site) {
            return maker.make(site, sent(site.groups()));
        }
    }

    private interface Maker {
        FactorSelection make(FactorSelection.Site site, int most);
    }
}
