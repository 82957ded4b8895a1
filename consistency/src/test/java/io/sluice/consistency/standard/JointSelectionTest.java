package io.sluice.consistency.standard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.codecs.Property;
import io.sluice.consistency.spi.FactorSelection;
import io.sluice.consistency.spi.FactorSelection.Site;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which groups {@code joint:C} sends. */
class JointSelectionTest {
    /** The groups sent, by number; each group of the batch must differ from the others. */
    private static List<Integer> sent(Groups batch, int count, FactorSelection selection, long clock) {
        double[][] lefts = IntStream.range(0, count).mapToObj(batch::left).toArray(double[][]::new);
        double[][] rights = IntStream.range(0, count).mapToObj(batch::right).toArray(double[][]::new);
        int sent = batch.select(selection, clock);
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < sent; i++) {
            double[] left = batch.left(i);
            int number = IntStream.range(0, count)
                    .filter(group -> Arrays.equals(lefts[group], left))
                    .findFirst()
                    .orElseThrow();
            assertArrayEquals(rights[number], batch.right(i), "v is not that of u");
            numbers.add(number);
        }
        return numbers;
    }

    private static FactorSelection joint(int most, Site site) {
        return FactorSelections.named("joint:" + most).create(site);
    }

    @Test
    void drawsAsTheAlgorithmOfThePaperDoes() {
        int[] compared = {0};
        Property.holds(300, random -> {
            Site site = new Site(random.nextInt(1, 12), random.nextInt(1, 12), random.nextInt(2, 14), 3, 5);
            int most = random.nextInt(1, site.groups());
            Groups batch = batchOfRank(random, site, random.nextInt(1, 12));
            long clock = random.nextLong(1, 1000);
            Algorithm2 literal = new Algorithm2(batch, site.groups());
            literal.run(most, FloatRows.key(site, clock));
            if (!literal.close) {
                compared[0]++;
                List<Integer> numbers = sent(batch, site.groups(), joint(most, site), clock);
                assertEquals(literal.chosen.stream().sorted().toList(), numbers);
            }
        });
        assertTrue(compared[0] > 200 || Long.getLong("sluice.test.seed") != null, compared[0] + " batches compared");
    }

    /** A batch whose v are mixtures of a few vectors. */
    private static Groups batchOfRank(SplittableRandom random, Site site, int rank) {
        double[][] base = new double[rank][];
        Arrays.setAll(base, i -> Groups.normal(random, site.columns()));
        Groups batch = new Groups(site);
        for (int group = 0; group < site.groups(); group++) {
            double[] shares = Groups.normal(random, rank);
            double[] right = new double[site.columns()];
            Arrays.setAll(
                    right,
                    k -> IntStream.range(0, rank)
                            .mapToDouble(i -> shares[i] * base[i][k])
                            .sum());
            batch.add(Groups.normal(random, site.rows()), right);
        }
        return batch;
    }

    @Test
    void aBatchOfLowRankEndsTheDrawsEarly() {
        Property.holds(100, random -> {
            int rank = random.nextInt(1, 6);
            Site site = new Site(random.nextInt(6, 20), random.nextInt(6, 20), 12, 0, 1);
            Groups batch = batchOfRank(random, site, rank);
            assertEquals(rank, batch.select(joint(8, site), random.nextLong(1, 1000)));
        });
    }

    @Test
    void aGroupOfZerosIsNeverSent() {
        Property.holds(100, random -> {
            Site site = new Site(9, 8, 10, 0, 1);
            Groups batch = new Groups(site);
            Set<Integer> zeros = new HashSet<>();
            for (int group = 0; group < site.groups(); group++) {
                double[] left = Groups.normal(random, site.rows());
                double[] right = Groups.normal(random, site.columns());
                if (random.nextInt(3) == 0) {
                    zeros.add(group);
                    Arrays.fill(right, 0);
                }
                batch.add(left, right);
            }
            List<Integer> numbers = sent(batch, site.groups(), joint(7, site), random.nextLong(1, 1000));
            assertEquals(Math.min(7, site.groups() - zeros.size()), numbers.size());
            assertTrue(numbers.stream().noneMatch(zeros::contains), numbers + " with zeros " + zeros);
        });
    }

    /** Of orthogonal groups, group i is drawn first with probability |u_i|^2 |v_i|^2 over the sum of these. */
    @Tag("slow")
    @Test
    void orthogonalGroupsAreDrawnByTheirLengths() {
        int draws = 20_000;
        Property.holds(3, random -> {
            Site site = new Site(4, 4, 4, 1, random.nextLong());
            double[] weights = new double[4];
            int[] times = new int[4];
            FactorSelection selection = joint(1, site);
            for (int clock = 1; clock <= draws; clock++) {
                Groups batch = new Groups(site);
                for (int i = 0; i < 4; i++) {
                    double[] left = new double[4];
                    double[] right = new double[4];
                    left[i] = 1 + i;
                    right[(i + 1) % 4] = 2 - 0.25 * i;
                    weights[i] = left[i] * left[i] * right[(i + 1) % 4] * right[(i + 1) % 4];
                    batch.add(left, right);
                }
                times[sent(batch, 4, selection, clock).getFirst()]++;
            }
            double all = Arrays.stream(weights).sum();
            for (int i = 0; i < 4; i++) {
                double share = weights[i] / all;
                double deviation = Math.sqrt(draws * share * (1 - share));
                assertEquals(draws * share, times[i], 6 * deviation, "times of group " + i);
            }
        });
    }

    @Test
    void aSmallBatchIsSentWhole() {
        Site site = new Site(3, 3, 9, 0, 1);
        Groups batch = new Groups(site);
        for (int i = 0; i < 5; i++) {
            batch.add(new double[] {1, 2, 3}, new double[] {3, 2, 1}); // of rank 1
        }
        double[][] sum = batch.sum(5);
        assertEquals(5, batch.select(joint(5, site), 1));
        assertEquals(0, Groups.distance(sum, batch.sum(5)));
    }

    /** The same seed, clock and worker draw the same groups; another of the three draws others before long. */
    @Test
    void drawsFollowFromSeedClockAndWorker() {
        Property.holds(1, random -> {
            Site site = new Site(8, 8, 20, 2, random.nextLong());
            long seed = random.nextLong();
            assertEquals(history(site, seed, 1), history(site, seed, 1));
            assertNotEquals(history(site, seed, 1), history(site, seed, 2));
            assertNotEquals(history(site, seed, 1), history(new Site(8, 8, 20, 3, site.seed()), seed, 1));
            assertNotEquals(history(site, seed, 1), history(new Site(8, 8, 20, 2, site.seed() + 1), seed, 1));
        });
    }

    private static List<List<Integer>> history(Site site, long seed, int firstClock) {
        FactorSelection selection = joint(4, site);
        SplittableRandom random = new SplittableRandom(seed);
        List<List<Integer>> history = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            history.add(sent(batchOfRank(random, site, 8), site.groups(), selection, firstClock + i));
        }
        return history;
    }

    /**
     * The algorithm word for word, in double precision: X_t = X - S S^+ X, with S the original vectors chosen so far
     * and S^+ = (S^T S)^-1 S^T.
     */
    private static final class Algorithm2 {
        private static final double ZERO = 1e-9;

        private final List<Integer> chosen = new ArrayList<>();
        private final double[][][] x;

        /** Whether a draw was so close to the limit between two groups that rounding decides it. */
        private boolean close;

        Algorithm2(Groups batch, int count) {
            x = new double[][][] {
                IntStream.range(0, count).mapToObj(batch::left).toArray(double[][]::new),
                IntStream.range(0, count).mapToObj(batch::right).toArray(double[][]::new)
            };
        }

        void run(int most, long key) {
            for (int pick = 0; pick < most; pick++) {
                double[] weights = new double[x[0].length];
                for (int i = 0; i < weights.length; i++) {
                    weights[i] = chosen.contains(i) ? 0 : squares(x[0], i) * squares(x[1], i);
                }
                double total = Arrays.stream(weights).sum();
                if (total == 0) {
                    return;
                }
                double at = FloatRows.uniform(key, pick) * total;
                int drawn = 0;
                double sum = weights[0];
                while (sum <= at) {
                    close |= at - sum < 1e-4 * total;
                    sum += weights[++drawn];
                }
                close |= sum - at < 1e-4 * total;
                chosen.add(drawn);
            }
        }

        /** The squared length of a vector of one side, projected off the chosen ones. */
        private double squares(double[][] vectors, int index) {
            double[] vector = vectors[index];
            int n = chosen.size();
            double[][] system = new double[n][n + 1];
            for (int a = 0; a < n; a++) {
                double[] s = vectors[chosen.get(a)];
                for (int b = 0; b < n; b++) {
                    system[a][b] = dot(s, vectors[chosen.get(b)]);
                }
                system[a][n] = dot(s, vector);
            }
            double[] shares = solve(system);
            double[] left = vector.clone();
            for (int a = 0; a < n; a++) {
                double[] s = vectors[chosen.get(a)];
                for (int i = 0; i < left.length; i++) {
                    left[i] -= shares[a] * s[i];
                }
            }
            double squares = dot(left, left);
            close |= n > 0 && squares < 1e-3 * dot(vector, vector) && squares > ZERO * dot(vector, vector);
            return squares <= ZERO * dot(vector, vector) ? 0 : squares;
        }

        /** Gaussian elimination with the largest pivot. */
        private static double[] solve(double[][] rows) {
            int n = rows.length;
            for (int c = 0; c < n; c++) {
                int pivot = c;
                for (int r = c + 1; r < n; r++) {
                    pivot = Math.abs(rows[r][c]) > Math.abs(rows[pivot][c]) ? r : pivot;
                }
                double[] swap = rows[c];
                rows[c] = rows[pivot];
                rows[pivot] = swap;
                for (int r = 0; r < n; r++) {
                    double share = r == c ? 0 : rows[r][c] / rows[c][c];
                    for (int k = c; k <= n; k++) {
                        rows[r][k] -= share * rows[c][k];
                    }
                }
            }
            double[] solution = new double[n];
            Arrays.setAll(solution, i -> rows[i][n] / rows[i][i]);
            return solution;
        }

        private static double dot(double[] a, double[] b) {
            return IntStream.range(0, a.length).mapToDouble(i -> a[i] * b[i]).sum();
        }
    }
}
