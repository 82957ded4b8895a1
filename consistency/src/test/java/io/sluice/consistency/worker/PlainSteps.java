package io.sluice.consistency.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.consistency.TestCluster;
import io.sluice.consistency.standard.RuleByHand;
import io.sluice.consistency.terms.ClusterSettings;
import io.sluice.consistency.terms.TransportKind;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * A plain program of what all workers do by local steps with one table: the parameters of the servers, and each
 * worker's copy and sum.
 */
final class PlainSteps {
    static final List<Shape> SHAPES =
            List.of(new Shape("a", 5, 7), new Shape("b", 1, 1), new Shape("c", 13, 31), new Shape("d", 2, 3));

    private final Table table;
    final boolean weighs;
    private IntPredicate isDrawn = _ -> true;
    private final int[] weights;
    private final Updates updates;
    private final RuleByHand[] rules;
    private final float[] parameters;
    private final float[][] copies;
    private final float[][] sums;

    PlainSteps(Table table, Updates updates, String rule, int workers) {
        this.table = table;
        this.updates = updates;
        weighs = rule.endsWith(";weighted");
        weights = new int[workers];
        parameters = new float[(int) table.spec().elements()];
        updates.initial(table.spec().name(), 0, parameters);
        rules = new RuleByHand[parameters.length];
        Arrays.setAll(rules, _ -> new RuleByHand(rule));
        copies = new float[workers][];
        Arrays.setAll(copies, _ -> parameters.clone());
        sums = new float[workers][parameters.length];
    }

    /** Terms of a random cluster. */
    static ClusterSettings settings(SplittableRandom random, String rule, int workers) {
        return TestCluster.terms()
                .workers(workers)
                .servers(random.nextInt(1, 4))
                .sliceElements(random.nextInt(1, 200))
                .transport(random.nextBoolean() ? TransportKind.IPC : TransportKind.UDP)
                .tree(random.nextBoolean() ? "chain" : "flat")
                .rule(rule)
                .build();
    }

    /** Begins a clock of which some workers take part. */
    void draw(IntPredicate drawn, long clock) {
        isDrawn = drawn;
        Arrays.setAll(weights, worker -> weight(worker, clock));
    }

    static int weight(int worker, long clock) {
        return 1 + (int) (7 * worker + 3 * clock) % 11;
    }

    /** A step that depends on the worker's copy. */
    float[] update(int worker, int step) {
        float[] update = updates.of(table.spec(), worker, step);
        for (int i = 0; i < update.length; i++) {
            update[i] -= 0.25f * copies[worker][i];
        }
        return update;
    }

    void add(int step) {
        for (int worker = 0; worker < copies.length; worker++) {
            if (!isDrawn.test(worker)) {
                continue;
            }
            float[] update = update(worker, step);
            for (int i = 0; i < update.length; i++) {
                copies[worker][i] += update[i];
                sums[worker][i] += update[i];
            }
        }
    }

    void push(long round) {
        int slice = table.spec().sliceLength(0);
        for (int start = 0; start < parameters.length; start += slice) {
            int end = Math.min(start + slice, parameters.length);
            boolean[] isPushed = new boolean[copies.length];
            for (int worker = 0; worker < copies.length; worker++) {
                isPushed[worker] = weighs;
                for (int i = start; i < end; i++) {
                    isPushed[worker] |= sums[worker][i] != 0;
                }
                isPushed[worker] &= isDrawn.test(worker);
            }
            for (int i = start; i < end; i++) {
                Float[] pushes = new Float[copies.length];
                for (int worker = 0; worker < pushes.length; worker++) {
                    pushes[worker] = isPushed[worker] ? sums[worker][i] : null;
                }
                parameters[i] += rules[i].add(0, round, weights, pushes);
            }
        }
        for (int worker = 0; worker < sums.length; worker++) {
            if (isDrawn.test(worker)) {
                Arrays.fill(sums[worker], 0);
            }
        }
    }

    void take(float mixing) {
        for (int worker = 0; worker < copies.length; worker++) {
            for (int i = 0; i < parameters.length; i++) {
                if (Float.isNaN(mixing)) {
                    copies[worker][i] = parameters[i] + sums[worker][i];
                } else {
                    copies[worker][i] = mixing * copies[worker][i] + (1 - mixing) * parameters[i];
                    sums[worker][i] = copies[worker][i] - parameters[i];
                }
            }
        }
    }

    void require(FloatView found, int worker, int step) {
        for (int i = 0; i < parameters.length; i++) {
            int at = i;
            assertEquals(
                    copies[worker][i],
                    found.get(i),
                    0f,
                    () -> "element " + at + " of " + table.spec().name() + " at worker " + worker + " before step "
                            + step);
        }
    }
}
