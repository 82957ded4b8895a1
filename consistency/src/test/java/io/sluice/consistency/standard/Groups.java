package io.sluice.consistency.standard;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.sluice.consistency.spi.FactorSelection;
import io.sluice.consistency.spi.FactorSelection.Site;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The groups of a clock, in the memory that a table gives to a selection, and sums of them in double precision. */
final class Groups {
    private final Site site;
    private final MemorySegment u;
    private final MemorySegment v;
    private int count;

    Groups(Site site) {
        this.site = site;
        u = Arena.ofAuto().allocate(4L * site.groups() * site.rows(), 64);
        v = Arena.ofAuto().allocate(4L * site.groups() * site.columns(), 64);
    }

    void add(double[] left, double[] right) {
        write(left, u);
        write(right, v);
        count++;
    }

    void addRandom(SplittableRandom random) {
        add(normal(random, site.rows()), normal(random, site.columns()));
    }

    static double[] normal(SplittableRandom random, int length) {
        double[] vector = new double[length];
        Arrays.setAll(vector, i -> random.nextGaussian());
        return vector;
    }

    private void write(double[] vector, MemorySegment rows) {
        for (int i = 0; i < vector.length; i++) {
            rows.setAtIndex(JAVA_FLOAT, (long) count * vector.length + i, (float) vector[i]);
        }
    }

    int select(FactorSelection.Policy policy, long clock) {
        return select(policy.create(site), clock);
    }

    int select(FactorSelection selection, long clock) {
        return selection.select(u, v, count, clock);
    }

    double[] left(int group) {
        return row(u, group, site.rows());
    }

    double[] right(int group) {
        return row(v, group, site.columns());
    }

    private static double[] row(MemorySegment rows, int index, int length) {
        double[] row = new double[length];
        Arrays.setAll(row, i -> rows.getAtIndex(JAVA_FLOAT, (long) index * length + i));
        return row;
    }

    /** The sum of the first groups: J rows of K. */
    double[][] sum(int groups) {
        double[][] sum = new double[site.rows()][site.columns()];
        for (int group = 0; group < groups; group++) {
            double[] left = left(group);
            double[] right = right(group);
            for (int j = 0; j < left.length; j++) {
                for (int k = 0; k < right.length; k++) {
                    sum[j][k] += left[j] * right[k];
                }
            }
        }
        return sum;
    }

    static void addTo(double[][] to, double[][] more) {
        for (int j = 0; j < to.length; j++) {
            for (int k = 0; k < to[j].length; k++) {
                to[j][k] += more[j][k];
            }
        }
    }

    /** The Frobenius norm of a difference. */
    static double distance(double[][] a, double[][] b) {
        double squares = 0;
        for (int j = 0; j < a.length; j++) {
            for (int k = 0; k < a[j].length; k++) {
                squares += (a[j][k] - b[j][k]) * (a[j][k] - b[j][k]);
            }
        }
        return Math.sqrt(squares);
    }
}
