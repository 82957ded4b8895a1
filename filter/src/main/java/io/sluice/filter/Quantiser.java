package io.sluice.filter;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.codecs.Levels;
import io.sluice.codecs.OffHeap;
import java.lang.foreign.ValueLayout;

/**
 * Chooses for each group of values v the scales and the numbers that are sent (decision 4).
 *
 * <ul>
 *   <li><em>sign</em> (1-bit SGD, Seide et al. 2014): the mean of the values that are 0 or more, and the mean of the
 *       others. The difference to v is added to the next update.
 *   <li><em>tern</em> (TernGrad, Wen et al. 2017): {@code s sign(v)} with the probability {@code |v| / s}, otherwise 0.
 *   s is the greatest magnitude, but at most 2.5 standard deviations. <li><em>qsgd</em> (Alistarh et al. 2017): {@code
 *   ||v|| sign(v) l / S}, with l one of the whole numbers next to {@code S |v| / ||v||}, at random such that the
 *   expected value is v.
 * </ul>
 *
 * <p>Without feedback tern and qsgd keep nothing: the sent value has the expected value v, unless tern clips v. With
 * feedback, the difference between v and the sent value is added to the next update. An unbiased quantiser Q with
 * {@code E ||Q(v)||^2 = (1 + omega) ||v||^2} must then be scaled by {@code 1 / (1 + omega)}: the expected {@code ||v -
 * Q(v) / (1 + omega)||^2} is {@code (1 - 1 / (1 + omega)) ||v||^2}, and the residual remains bounded.
 */
public abstract class Quantiser {
    /** Number of standard deviations to which tern clips. */
    static final double CLIP = 2.5;

    private static final ValueLayout.OfFloat F32 = JAVA_FLOAT_UNALIGNED.withOrder(LITTLE_ENDIAN);

    private final int kind;
    private final int width;
    private final boolean keepsLoss;

    private Quantiser(int kind, int width, boolean keepsLoss) {
        this.kind = kind;
        this.width = width;
        this.keepsLoss = keepsLoss;
    }

    /** Creates the quantiser of 1-bit SGD. */
    public static Quantiser sign() {
        return new Sign();
    }

    /** Creates the quantiser of TernGrad. */
    public static Quantiser ternary(boolean feedback) {
        return new Ternary(feedback);
    }

    /**
     * Creates the quantiser of QSGD.
     *
     * @param levels number of levels S, 1 to 127
     */
    public static Quantiser levels(int levels, boolean feedback) {
        return new Norm(levels, feedback);
    }

    /** Kind of the numbers. */
    final int kind() {
        return kind;
    }

    /** Width of a number, in bits. */
    final int width() {
        return width;
    }

    /** Whether the difference to the sent value remains in the residual. */
    final boolean keepsLoss() {
        return keepsLoss;
    }

    /** Writes the scales and the numbers of a group. */
    abstract void quantise(QuantisedGroup group, long scales, long numbers);

    /** Writes a scale given as its multiple by the group's power of two, at most {@code most} in magnitude. */
    static void write(long address, double multiple, QuantisedGroup group, double most) {
        double scale = Math.clamp(multiple / group.factor(), -most, most);
        OffHeap.ALL.set(F32, address, (float) scale);
    }

    private static final class Sign extends Quantiser {
        Sign() {
            super(Levels.TWO_VALUED, 1, true);
        }

        @Override
        void quantise(QuantisedGroup group, long scales, long numbers) {
            group.sum(Float.MAX_VALUE);
            int negatives = group.negatives();
            int others = group.count() - negatives;
            write(scales, -group.below() / Math.max(negatives, 1), group, group.greatest());
            write(scales + Float.BYTES, group.above() / Math.max(others, 1), group, group.greatest());
            group.signs(numbers);
        }
    }

    private static final class Ternary extends Quantiser {
        Ternary(boolean feedback) {
            super(Levels.TERNARY, Levels.TERNARY_WIDTH, feedback);
        }

        @Override
        void quantise(QuantisedGroup group, long scales, long numbers) {
            group.sum(Float.MAX_VALUE);
            double deviation = Math.sqrt(group.squares() / Math.max(group.present(), 1));
            double s = Math.min(group.greatest() * group.factor(), CLIP * deviation);
            group.draw(s == 0 ? 0 : (float) (1 / s), 1, numbers);
            double sent = s;
            if (keepsLoss() && s > 0) {
                group.sum((float) (s / group.factor()));
                sent = group.squares() / (group.above() + group.below()); // s / (1 + omega)
            }
            write(scales, sent, group, group.greatest());
        }
    }

    private static final class Norm extends Quantiser {
        private final int levels;

        Norm(int levels, boolean feedback) {
            super(Levels.SIGNED, 1 + Integer.SIZE - Integer.numberOfLeadingZeros(levels), feedback);
            this.levels = levels;
        }

        @Override
        void quantise(QuantisedGroup group, long scales, long numbers) {
            group.sum(Float.MAX_VALUE);
            double norm = Math.max(Math.sqrt(group.squares()), group.greatest() * group.factor());
            group.draw(norm == 0 ? 0 : (float) (levels / norm), levels, numbers);
            double atMost = (1 << width() - 1) - 1; // the greatest number, which represents the scale itself
            double elements = group.count();
            double omega = Math.min(elements / levels / levels, Math.sqrt(elements) / levels);
            double share = keepsLoss() ? 1 / (1 + omega) : 1;
            write(scales, share * norm * atMost / levels, group, Levels.GREATEST_SCALE);
        }
    }
}
