package io.sluice.messaging.outbox;

import io.sluice.codecs.spi.PolicySpec;
import io.sluice.messaging.spi.SliceOrder;
import io.sluice.messaging.spi.SliceOrderProvider;

/** The built-in orders. */
public enum StandardOrder implements SliceOrderProvider {
    /** Slices in the order in which they are handed over. */
    FIFO("fifo", 0) {
        @Override
        long rank(SliceOrder.Urgency urgency) {
            return 0;
        }
    },

    /**
     * Tables in the order of their declaration, because a forward pass needs them in that order (P3, section 4.2).
     * Within a table, slices keep the order in which they are handed over.
     */
    LAYER("layer", 16) {
        @Override
        long rank(SliceOrder.Urgency urgency) {
            return Math.min(urgency.layer(), 0xFFFF);
        }
    },

    /** The slices with the largest change of parameters first (Boesen, section 3.3.2). */
    MAGNITUDE("magnitude", 31) {
        @Override
        long rank(SliceOrder.Urgency urgency) {
            return descending(urgency.magnitude());
        }
    },

    /** The slices with the largest change relative to their parameters first (Boesen, section 3.3.2). */
    RELATIVE("relative", 31) {
        @Override
        long rank(SliceOrder.Urgency urgency) {
            return descending(urgency.relative());
        }
    },

    /**
     * The oldest round first, and within a round by layer and number: the same sequence in each round (Boesen, section
     * 3.3.2).
     */
    ROUND_ROBIN("round-robin", 63) {
        @Override
        long rank(SliceOrder.Urgency urgency) {
            long walk = (long) Math.min(urgency.layer(), 0xFFFF) << PART_BITS | Math.min(urgency.part(), MAX_PART);
            return (urgency.round() & MAX_ROUND) << PART_BITS + 16 | walk;
        }
    },

    /** Random priorities, which the seed determines (Boesen, section 3.3.2). */
    RANDOM("random", 31) {
        @Override
        public String form() {
            return "random[:SEED]";
        }

        @Override
        public SliceOrder create(PolicySpec spec) {
            spec.requireArguments(0, 1).allowOptions();
            return new RandomOrder(spec.text(), 0 == spec.arguments() ? 0 : spec.whole(0, 0, MAX_SEED));
        }

        @Override
        long rank(SliceOrder.Urgency urgency) {
            throw new IllegalStateException("a random order has a state of its own");
        }
    };

    private static final int MAX_SEED = 999_999_999;
    private static final int PART_BITS = 20;
    private static final int MAX_PART = (1 << PART_BITS) - 1;
    private static final long MAX_ROUND = (1L << 27) - 1;

    private final String word;
    private final int bits;

    StandardOrder(String word, int bits) {
        this.word = word;
        this.bits = bits;
    }

    @Override
    public String configName() {
        return word;
    }

    @Override
    public String form() {
        return word;
    }

    @Override
    public SliceOrder create(PolicySpec spec) {
        spec.requireArguments(0).allowOptions();
        return new Stateless(this);
    }

    abstract long rank(SliceOrder.Urgency urgency);

    /** A rank that falls with the magnitude. The bits of magnitudes, read as integers, ascend with them. */
    private static long descending(float magnitude) {
        return Integer.MAX_VALUE - (Float.floatToRawIntBits(magnitude) & Integer.MAX_VALUE);
    }

    /** An order that is a function of the slice alone. */
    private record Stateless(StandardOrder kind) implements SliceOrder {
        @Override
        public String name() {
            return kind.word;
        }

        @Override
        public int bits() {
            return kind.bits;
        }

        @Override
        public long rank(SliceOrder.Urgency urgency) {
            return kind.rank(urgency);
        }

        @Override
        public boolean weighs() {
            return kind == MAGNITUDE || kind == RELATIVE;
        }

        @Override
        public boolean compares() {
            return kind == RELATIVE;
        }
    }

    /** Draws a rank for every slice that is handed over. */
    private static final class RandomOrder implements SliceOrder {
        private static final long STEP = 0x9E3779B97F4A7C15L;

        private final String name;
        private long state;

        RandomOrder(String name, long seed) {
            this.name = name;
            this.state = seed;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int bits() {
            return RANDOM.bits;
        }

        @Override
        public long rank(SliceOrder.Urgency urgency) {
            state += STEP;
            long mixed = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
            mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
            return (mixed ^ (mixed >>> 31)) >>> 33;
        }
    }
}
