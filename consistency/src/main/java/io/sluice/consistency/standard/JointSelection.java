package io.sluice.consistency.standard;

import io.sluice.consistency.spi.FactorSelection;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Joint matrix column subset selection: algorithm 2 of Xie et al., Orpheus (SoCC 2018), section 3.2.1. Draws C of the
 * groups, one after the other, each with probability proportional to |u|<sup>2</sup> |v|<sup>2</sup>, where u and v
 * have been projected off the vectors of the groups drawn before. What it sends are the original vectors, in the order
 * of the groups. The others are dropped. It sends all groups if there are at most C.
 *
 * <p>The algorithm is read as follows. A draw is followed by one step of Gram-Schmidt with the vector just drawn, for u
 * and for v, which projects off all vectors drawn so far. A vector that has lost all but 2<sup>-16</sup> of its length
 * counts as zero. The draws end early when each group left has a zero vector, so at most min(J, K) groups are sent once
 * there are more than C.
 */
final class JointSelection implements FactorSelection {
    private final Site site;
    private final int most;
    private final Remainders us;
    private final Remainders vs;
    private final boolean[] chosen;

    JointSelection(Site site, int most) {
        this.site = site;
        this.most = most;
        us = new Remainders(site.groups(), site.rows());
        vs = new Remainders(site.groups(), site.columns());
        chosen = new boolean[site.groups()];
    }

    @Override
    public int select(MemorySegment u, MemorySegment v, int count, long clock) {
        if (count <= most) {
            return count;
        }
        us.load(u, count);
        vs.load(v, count);
        Arrays.fill(chosen, false);
        long key = FloatRows.key(site, clock);
        for (int pick = 0; pick < most; pick++) {
            int drawn = draw(count, FloatRows.uniform(key, pick));
            if (drawn < 0) {
                break;
            }
            chosen[drawn] = true;
            for (int other = 0; other < count; other++) {
                if (weight(other) > 0) {
                    us.project(other, drawn);
                    vs.project(other, drawn);
                }
            }
        }
        return keepChosen(u, v, count);
    }

    private double weight(int group) {
        return chosen[group] ? 0 : us.squares[group] * vs.squares[group];
    }

    /** Draws a group by weight; -1 if all weights are zero. */
    private int draw(int count, double share) {
        double total = 0;
        for (int group = 0; group < count; group++) {
            total += weight(group);
        }
        double left = share * total;
        int last = -1;
        for (int group = 0; group < count; group++) {
            double weight = weight(group);
            if (weight > 0) {
                last = group;
                left -= weight;
                if (left < 0) {
                    break;
                }
            }
        }
        return last;
    }

    private int keepChosen(MemorySegment u, MemorySegment v, int count) {
        int kept = 0;
        for (int group = 0; group < count; group++) {
            if (chosen[group]) {
                move(u, site.rows(), group, kept);
                move(v, site.columns(), group, kept);
                kept++;
            }
        }
        return kept;
    }

    private static void move(MemorySegment rows, long length, int from, int to) {
        long bytes = length * Float.BYTES;
        MemorySegment.copy(rows, from * bytes, rows, to * bytes, bytes);
    }

    /** What the projections have left of the vectors of one side. */
    private static final class Remainders {
        /** Share of a squared length that is rounding. */
        private static final double ROUNDING = 0x1p-32;

        private final float[][] vectors;

        /** Squared lengths. */
        private final double[] squares;

        private final double[] zero;

        Remainders(int groups, int length) {
            vectors = new float[groups][length];
            squares = new double[groups];
            zero = new double[groups];
        }

        void load(MemorySegment from, int count) {
            FloatRows.load(from, 0, count, vectors);
            for (int i = 0; i < count; i++) {
                squares[i] = FloatRows.dot(vectors[i], vectors[i]);
                zero[i] = ROUNDING * squares[i];
            }
        }

        void project(int vector, int off) {
            float[] x = vectors[vector];
            float[] y = vectors[off];
            FloatRows.addScaled(x, (float) (-FloatRows.dot(x, y) / squares[off]), y);
            double left = FloatRows.dot(x, x);
            squares[vector] = left > zero[vector] ? left : 0;
        }
    }
}
